SELECT CAST(text_value, 'String') AS d0, toInt64(0) AS b, ifNull(toString(count(1)), '') AS m0
FROM scores AS o FINAL
INNER JOIN (SELECT trace_id AS scored_trace, span_id AS scored_id, argMax((CAST(name, 'String'), CAST(model, 'String'), CAST(prompt_name, 'String'), prompt_version, experiment['id'], experiment['name']), (version, start_time)) AS scored
FROM observations FINAL
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p3:Int64}, 'UTC')
AND start_time <= fromUnixTimestamp64Micro({p4:Int64}, 'UTC')
AND NOT deleted
AND trace_id IN (SELECT trace_id
FROM scores
WHERE project_id = {p0:String}
AND timestamp >= fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
AND timestamp <= fromUnixTimestamp64Milli({p6:Int64}, 'UTC'))
GROUP BY trace_id, span_id) AS p ON p.scored_trace = o.trace_id
AND p.scored_id = o.observation_id
WHERE project_id = {p0:String}
AND timestamp >= fromUnixTimestamp64Milli({p1:Int64}, 'UTC')
AND timestamp <= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
AND NOT deleted
AND data_type IN ('CATEGORICAL')
AND scored.2 != ''
GROUP BY text_value
ORDER BY text_value
LIMIT 100
SETTINGS enable_extended_results_for_datetime_functions = 1
