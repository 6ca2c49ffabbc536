SELECT CAST(each_cost.1, 'String') AS d0, CAST(each_tool, 'String') AS d1, toInt64(0) AS b, ifNull(toString(sum(ifNull(each_cost.2, toDecimal64(0, 12)))), '') AS m0
FROM observations AS o FINAL
ARRAY JOIN tool_names AS each_tool
ARRAY JOIN cost_details AS each_cost
WHERE project_id = {p0:String}
AND start_time >= fromUnixTimestamp64Micro({p2:Int64}, 'UTC')
AND start_time <= fromUnixTimestamp64Micro({p3:Int64}, 'UTC')
AND NOT deleted
AND position(each_cost.1, {p1:String}) > 0
GROUP BY each_cost.1, each_tool
ORDER BY each_cost.1, each_tool
LIMIT 100
SETTINGS enable_extended_results_for_datetime_functions = 1
