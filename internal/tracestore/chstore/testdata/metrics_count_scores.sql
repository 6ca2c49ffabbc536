SELECT toInt64(0) AS b, ifNull(toString(sum(ifNull(score_count, toInt128(0)))), '') AS m0
FROM observations AS o FINAL
INNER JOIN (SELECT trace_id AS score_trace, observation_id AS score_observation, uniqExact(id) AS score_count
FROM scores FINAL
WHERE project_id = {p0:String}
AND timestamp >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
AND timestamp <= fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
AND NOT deleted
AND observation_id != ''
GROUP BY trace_id, observation_id) AS s ON s.score_trace = o.trace_id
AND s.score_observation = o.span_id
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC')
AND start_time <= fromUnixTimestamp64Micro({p2:Int64}, 'UTC')
AND NOT deleted
LIMIT 100
SETTINGS enable_extended_results_for_datetime_functions = 1
