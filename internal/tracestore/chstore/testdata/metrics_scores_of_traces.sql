SELECT CAST(lent_name, 'String') AS d0, CAST(root_version, 'String') AS d1, toInt64(0) AS b, ifNull(toString(count(1)), '') AS m0
FROM scores AS o FINAL
INNER JOIN (SELECT trace_id AS root_trace, argMin(CAST(code_version, 'String'), (start_time, span_id)) AS root_version
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
AND parent_span_id = ''
GROUP BY trace_id) AS r ON r.root_trace = o.trace_id
LEFT JOIN (SELECT trace_id AS lent_trace, min(name).value AS lent_name
FROM traces
WHERE project_id = {p0:String}
GROUP BY trace_id
HAVING max(last_start) >= fromUnixTimestamp64Micro({p7:Int64}, 'UTC')
AND min(first_start) <= fromUnixTimestamp64Micro({p8:Int64}, 'UTC')) AS t ON t.lent_trace = o.trace_id
WHERE project_id = {p0:String}
AND timestamp >= fromUnixTimestamp64Milli({p1:Int64}, 'UTC')
AND timestamp <= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
AND NOT deleted
AND data_type IN ('BOOLEAN')
GROUP BY lent_name, root_version
ORDER BY lent_name, root_version
LIMIT 100
SETTINGS enable_extended_results_for_datetime_functions = 1
