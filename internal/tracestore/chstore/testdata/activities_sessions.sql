SELECT of_id, first_seen, last_seen, traces, shown_rows, errors, toString(sum_input) AS input_sum, toString(sum_output) AS output_sum, toString(sum_tokens) AS token_sum, toString(sum_cost) AS cost_sum, users, user_count, session_count, count() OVER () AS total, sum(all_rows) OVER () AS of_all
FROM (SELECT if(session_id = '', lent_session, CAST(session_id, 'String')) AS of_id, toUnixTimestamp64Micro(min(start_time)) AS first_seen, toUnixTimestamp64Micro(greatest(max(end_time), max(start_time))) AS last_seen, uniqExactIf(trace_id, trace_id != '') AS traces, count() AS all_rows, countIf(NOT (span_id = concat('t-', trace_id))) AS shown_rows, countIf(level = 'ERROR') AS errors, sum(toInt128(input_tokens)) AS sum_input, sum(toInt128(output_tokens)) AS sum_output, sum(toInt128(ifNull(total_tokens, 0))) AS sum_tokens, sum(ifNull(total_cost, toDecimal64(0, 12))) AS sum_cost, arraySlice(arraySort(groupUniqArrayIf(if(user_id = '', lent_user, CAST(user_id, 'String')), if(user_id = '', lent_user, CAST(user_id, 'String')) != '')), 1, 10) AS users, uniqExactIf(if(user_id = '', lent_user, CAST(user_id, 'String')), if(user_id = '', lent_user, CAST(user_id, 'String')) != '') AS user_count, uniqExactIf(if(session_id = '', lent_session, CAST(session_id, 'String')), if(session_id = '', lent_session, CAST(session_id, 'String')) != '') AS session_count
FROM observations AS o FINAL
LEFT JOIN (SELECT trace_id AS lent_trace, if(bitNot(min(user_id).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(user_id).value, '') AS lent_user, if(bitNot(min(session_id).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(session_id).value, '') AS lent_session
FROM traces
WHERE project_id = {p0:String}
GROUP BY trace_id
HAVING max(last_start) >= fromUnixTimestamp64Micro({p4:Int64}, 'UTC')
AND min(first_start) <= fromUnixTimestamp64Micro({p5:Int64}, 'UTC')) AS t ON t.lent_trace = o.trace_id
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p3:Int64}, 'UTC')
AND (parent_span_id = '' OR app_root) = true
AND version >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0))
AND NOT deleted
GROUP BY of_id
HAVING of_id != '')
ORDER BY last_seen, of_id
LIMIT 50 OFFSET 50
