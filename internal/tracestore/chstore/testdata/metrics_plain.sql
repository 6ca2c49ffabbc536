SELECT CAST(model, 'String') AS d0, toInt64(0) AS b, ifNull(toString(sum(ifNull(total_cost, toDecimal64(0, 12)))), '') AS m0, ifNull(toString(quantileExactInclusiveOrNull(0.95)(toFloat64(if(toUnixTimestamp64Micro(end_time) = 0, NULL, dateDiff('millisecond', start_time, end_time))))), '') AS m1
FROM observations AS o FINAL
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC')
AND start_time <= fromUnixTimestamp64Micro({p2:Int64}, 'UTC')
AND environment IN {p3:Array(String)}
AND NOT deleted
GROUP BY model
ORDER BY sum(ifNull(total_cost, toDecimal64(0, 12))) DESC, model
LIMIT 100
SETTINGS enable_extended_results_for_datetime_functions = 1
