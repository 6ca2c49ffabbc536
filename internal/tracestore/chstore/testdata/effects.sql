SELECT toUInt32(indexOf(fails, 1)) AS only, count() AS n
FROM (SELECT CAST([toUInt8(NOT (level IN {p2:Array(String)})), toUInt8(NOT (((user_id != ''
AND user_id IN {p3:Array(String)}) OR (user_id = ''
AND trace_id IN (SELECT trace_id
FROM traces
WHERE project_id = {p0:String}
AND trace_id IN (SELECT trace_id
FROM traces
WHERE project_id = {p0:String}
AND user_id.value IN {p4:Array(String)})
AND user_id.value != ''
GROUP BY trace_id
HAVING min(user_id).value IN {p3:Array(String)})))))], 'Array(UInt8)') AS fails
FROM observations AS o FINAL
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC')
AND (parent_span_id = '' OR app_root) = true
AND NOT deleted)
WHERE arraySum(fails) <= 1
GROUP BY only
