SELECT toInt64(toUnixTimestamp64Micro(start_time) - positiveModulo(toUnixTimestamp64Micro(start_time), {p4:Int64})) AS slot, CAST(level, 'String') AS of_level, toInt64(0) AS band, count() AS n
FROM observations AS o FINAL
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p3:Int64}, 'UTC')
AND (parent_span_id = '' OR app_root) = true
AND version >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0))
AND NOT deleted
GROUP BY slot, of_level, band
ORDER BY slot, of_level, band
