SELECT if(empty(tags), lent_tags, CAST(tags, 'Array(String)')) AS d0, CAST(if(trace_name = '', lent_name, CAST(trace_name, 'String')), 'String') AS d1, toInt64(0) AS b, ifNull(toString(uniqExact(nullIf(if(user_id = '', lent_user, CAST(user_id, 'String')), ''))), '') AS m0
FROM observations AS o FINAL
LEFT JOIN (SELECT trace_id AS lent_trace, min(user_id).value AS lent_user, min(name).value AS lent_name, min(tags).value AS lent_tags
FROM traces
WHERE project_id = {p0:String}
GROUP BY trace_id
HAVING max(last_start) >= fromUnixTimestamp64Micro({p5:Int64}, 'UTC')
AND min(first_start) <= fromUnixTimestamp64Micro({p6:Int64}, 'UTC')) AS t ON t.lent_trace = o.trace_id
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC')
AND start_time <= fromUnixTimestamp64Micro({p2:Int64}, 'UTC')
AND ((user_id != ''
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
HAVING min(user_id).value IN {p3:Array(String)})))
AND NOT deleted
GROUP BY if(empty(tags), lent_tags, CAST(tags, 'Array(String)')), if(trace_name = '', lent_name, CAST(trace_name, 'String'))
ORDER BY if(empty(tags), lent_tags, CAST(tags, 'Array(String)')), if(trace_name = '', lent_name, CAST(trace_name, 'String'))
LIMIT 100
SETTINGS enable_extended_results_for_datetime_functions = 1
