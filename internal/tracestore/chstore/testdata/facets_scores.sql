(SELECT toInt16(facet.1) AS field, facet.2 AS value, sum(n) AS total, sum(m) AS chosen
FROM (SELECT grouping(k0) AS which, count() AS n, countIf(false) AS m, arrayMap(score -> score.2, arrayFilter(score -> score.1 = span_id OR (score.1 = ''
AND (parent_span_id = '' OR app_root)), trace_scores)) AS k0
FROM observations AS o FINAL
LEFT JOIN (SELECT trace_id AS scored_trace, groupUniqArray((observation_id, CAST(name, 'String'))) AS trace_scores
FROM scores FINAL
WHERE project_id = {p0:String}
AND trace_id != ''
AND NOT deleted
AND timestamp >= fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
AND version >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0))
AND version >= transform(id, {p5:Array(String)}, {p6:Array(UInt64)}, toUInt64(0))
GROUP BY trace_id) AS s ON s.scored_trace = o.trace_id
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p3:Int64}, 'UTC')
AND (parent_span_id = '' OR app_root) = true
AND version >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0))
AND NOT deleted
GROUP BY GROUPING SETS ((k0), ()))
ARRAY JOIN multiIf(which = 0, arrayMap(element -> (0, element), if(empty(k0), [''], arrayDistinct(k0))), [(-1, '')]) AS facet
GROUP BY field, value)
ORDER BY field, total DESC, value
LIMIT 5 BY field
