SELECT toInt64(toUnixTimestamp64Micro(start_time) - positiveModulo(toUnixTimestamp64Micro(start_time), {p2:Int64})) AS slot, '' AS of_level, toInt64(roundDown(assumeNotNull(if(toUnixTimestamp64Micro(end_time) = 0, NULL, dateDiff('millisecond', start_time, end_time))), [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000, 2000000, 5000000])) AS band, count() AS n
FROM observations AS o FINAL
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC')
AND (parent_span_id = '' OR app_root) = true
AND isNotNull(if(toUnixTimestamp64Micro(end_time) = 0, NULL, dateDiff('millisecond', start_time, end_time)))
AND NOT deleted
GROUP BY slot, of_level, band
ORDER BY slot, of_level, band
