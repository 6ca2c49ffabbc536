SELECT toInt64(0) AS b, ifNull(toString(count(1)), '') AS m0, ifNull(toString(sum(ifNull(input_tokens, toInt128(0)))), '') AS m1, ifNull(toString(avgOrNull(toFloat64(if(intDiv(if(toUnixTimestamp64Micro(end_time) = 0, NULL, dateDiff('millisecond', start_time, end_time)), 1000) > 0, total_tokens / intDiv(if(toUnixTimestamp64Micro(end_time) = 0, NULL, dateDiff('millisecond', start_time, end_time)), 1000), NULL)))), '') AS m2, ifNull(toString(avgOrNull(total_cost)), '') AS m3, ifNull(toString(maxOrNull(total_cost)), '') AS m4, ifNull(toString(minOrNull(if(toUnixTimestamp64Micro(completion_start_time) = 0, NULL, dateDiff('millisecond', start_time, completion_start_time)))), '') AS m5, arrayFlatten(arrayMap(bin -> [bin.1, bin.2, bin.3], histogram(10)(toFloat64(if(toUnixTimestamp64Micro(end_time) = 0 OR toUnixTimestamp64Micro(completion_start_time) = 0, NULL, dateDiff('millisecond', completion_start_time, end_time)))))) AS m6, ifNull(toString(uniqExact(nullIf(trace_id, ''))), '') AS m7
FROM observations AS o FINAL
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC')
AND start_time <= fromUnixTimestamp64Micro({p2:Int64}, 'UTC')
AND NOT deleted
LIMIT 100
SETTINGS enable_extended_results_for_datetime_functions = 1
