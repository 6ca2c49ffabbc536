SELECT CAST(name, 'String') AS d0, toInt64(0) AS b, ifNull(toString(avgOrNull(toFloat64(number_value))), '') AS m0
FROM scores AS o FINAL
WHERE project_id = {p0:String}
AND timestamp >= fromUnixTimestamp64Milli({p1:Int64}, 'UTC')
AND timestamp <= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
AND NOT deleted
AND data_type IN ('NUMERIC', 'BOOLEAN')
AND (has(arrayMap((k, v) -> concat(k, '=', v), meta_names, meta_values), {p5:String})
AND indexOf(meta_names, {p3:String}) > 0
AND meta_values[indexOf(meta_names, {p3:String})] = {p4:String})
GROUP BY name
ORDER BY name
LIMIT 100
SETTINGS enable_extended_results_for_datetime_functions = 1
