(SELECT field, value, total, chosen, max(total) OVER () AS all_rows, max(chosen) OVER () AS all_chosen
FROM (SELECT toInt16(facet.1) AS field, facet.2 AS value, sum(n) AS total, sum(m) AS chosen
FROM (SELECT grouping(k0, k1, k2, k3, k4) AS which, count() AS n, countIf(true
AND ((user_id != ''
AND user_id IN {p1:Array(String)}) OR (user_id = ''
AND trace_id IN (SELECT trace_id
FROM traces
WHERE project_id = {p0:String}
AND trace_id IN (SELECT trace_id
FROM traces
WHERE project_id = {p0:String}
AND user_id.value IN {p2:Array(String)})
AND user_id.value != ''
GROUP BY trace_id
HAVING min(user_id).value IN {p1:Array(String)})))) AS m, type AS k0, if(empty(tags), lent_tags, CAST(tags, 'Array(String)')) AS k1, if(prompt_name = '', '', concat(prompt_name, ':', toString(prompt_version))) AS k2, CAST(meta_names, 'Array(String)') AS k3, left(meta_values[indexOf(meta_names, {p3:String})], 256) AS k4
FROM observations AS o FINAL
LEFT JOIN (SELECT trace_id AS lent_trace, min(tags).value AS lent_tags
FROM traces
WHERE project_id = {p0:String}
GROUP BY trace_id
HAVING max(last_start) >= fromUnixTimestamp64Micro({p5:Int64}, 'UTC')
AND min(first_start) <= fromUnixTimestamp64Micro({p6:Int64}, 'UTC')) AS t ON t.lent_trace = o.trace_id
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p4:Int64}, 'UTC')
AND (parent_span_id = '' OR app_root) = true
AND NOT deleted
GROUP BY GROUPING SETS ((k0), (k1), (k2), (k3), (k4), ()))
ARRAY JOIN multiIf(which = 15, [(0, CAST(k0, 'String'))], which = 23, arrayMap(element -> (1, element), if(empty(k1), [''], arrayDistinct(k1))), which = 27, [(2, CAST(k2, 'String'))], which = 29, arrayMap(element -> (3, element), if(empty(k3), [''], arrayDistinct(k3))), which = 30, [(4, CAST(k4, 'String'))], [(-1, '')]) AS facet
GROUP BY field, value))
ORDER BY field, abs(toInt128(chosen) * all_rows - toInt128(total) * all_chosen) DESC, total DESC, value
LIMIT 16 BY field
