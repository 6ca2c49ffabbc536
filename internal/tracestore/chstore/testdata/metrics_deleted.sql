SELECT CAST(lent_user, 'String') AS d0, CAST(scored.1, 'String') AS d1, toInt64(0) AS b, ifNull(toString(count(1)), '') AS m0
FROM scores AS o FINAL
INNER JOIN (SELECT trace_id AS root_trace, argMin(CAST(code_version, 'String'), (start_time, span_id)) AS root_version
FROM observations FINAL
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p7:Int64}, 'UTC')
AND start_time <= fromUnixTimestamp64Micro({p8:Int64}, 'UTC')
AND version >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0))
AND NOT deleted
AND trace_id IN (SELECT trace_id
FROM scores
WHERE project_id = {p0:String}
AND timestamp >= fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
AND timestamp <= fromUnixTimestamp64Milli({p10:Int64}, 'UTC'))
AND parent_span_id = ''
GROUP BY trace_id) AS r ON r.root_trace = o.trace_id
INNER JOIN (SELECT trace_id AS scored_trace, span_id AS scored_id, argMax((CAST(name, 'String'), CAST(model, 'String'), CAST(prompt_name, 'String'), prompt_version, experiment['id'], experiment['name']), (version, start_time)) AS scored
FROM observations FINAL
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p7:Int64}, 'UTC')
AND start_time <= fromUnixTimestamp64Micro({p8:Int64}, 'UTC')
AND version >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0))
AND NOT deleted
AND trace_id IN (SELECT trace_id
FROM scores
WHERE project_id = {p0:String}
AND timestamp >= fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
AND timestamp <= fromUnixTimestamp64Milli({p10:Int64}, 'UTC'))
GROUP BY trace_id, span_id) AS p ON p.scored_trace = o.trace_id
AND p.scored_id = o.observation_id
LEFT JOIN (SELECT trace_id AS lent_trace, if(bitNot(min(user_id).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(user_id).value, '') AS lent_user
FROM traces
WHERE project_id = {p0:String}
GROUP BY trace_id
HAVING max(last_start) >= fromUnixTimestamp64Micro({p11:Int64}, 'UTC')
AND min(first_start) <= fromUnixTimestamp64Micro({p12:Int64}, 'UTC')) AS t ON t.lent_trace = o.trace_id
WHERE project_id = {p0:String}
AND timestamp >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
AND timestamp <= fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
AND NOT deleted
AND version >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0))
AND version >= transform(id, {p5:Array(String)}, {p6:Array(UInt64)}, toUInt64(0))
AND data_type IN ('NUMERIC', 'BOOLEAN')
GROUP BY lent_user, scored.1
ORDER BY lent_user, scored.1
LIMIT 100
SETTINGS enable_extended_results_for_datetime_functions = 1
