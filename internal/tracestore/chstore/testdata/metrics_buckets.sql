SELECT toUnixTimestamp64Micro(toDateTime64(toMonday(start_time), 6, 'UTC')) AS b, ifNull(toString(count(1)), '') AS m0
FROM observations AS o FINAL
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC')
AND start_time <= fromUnixTimestamp64Micro({p2:Int64}, 'UTC')
AND NOT deleted
GROUP BY toUnixTimestamp64Micro(toDateTime64(toMonday(start_time), 6, 'UTC'))
ORDER BY toUnixTimestamp64Micro(toDateTime64(toMonday(start_time), 6, 'UTC')), toUnixTimestamp64Micro(toDateTime64(toMonday(start_time), 6, 'UTC'))
LIMIT 100
SETTINGS enable_extended_results_for_datetime_functions = 1
