(SELECT toInt16(facet.1) AS field, facet.2 AS value, sum(n) AS total, sum(m) AS chosen
FROM (SELECT grouping(k0, k1, k2) AS which, count() AS n, countIf(false) AS m, type AS k0, if(empty(tags), lent_tags, CAST(tags, 'Array(String)')) AS k1, if(user_id = '', lent_user, CAST(user_id, 'String')) AS k2
FROM observations AS o FINAL
LEFT JOIN (SELECT trace_id AS lent_trace, min(user_id).value AS lent_user, min(tags).value AS lent_tags
FROM traces
WHERE project_id = {p0:String}
GROUP BY trace_id
HAVING max(last_start) >= fromUnixTimestamp64Micro({p2:Int64}, 'UTC')
AND min(first_start) <= fromUnixTimestamp64Micro({p3:Int64}, 'UTC')) AS t ON t.lent_trace = o.trace_id
WHERE project_id = {p0:String}
AND name IN {p1:Array(String)}
AND NOT deleted
GROUP BY GROUPING SETS ((k0), (k1), (k2), ()))
ARRAY JOIN multiIf(which = 3, [(0, CAST(k0, 'String'))], which = 5, arrayMap(element -> (1, element), if(empty(k1), [''], arrayDistinct(k1))), which = 6, [(2, CAST(k2, 'String'))], [(-1, '')]) AS facet
GROUP BY field, value)
ORDER BY field, total DESC, value
LIMIT 20 BY field
