SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('trace', 'project') GROUP BY kind, id ORDER BY kind, id
  p0 = 'with a tombstone'
SELECT trace_id, toUnixTimestamp64Micro(min(first_start)) AS first FROM traces WHERE project_id = {p0:String} AND trace_id != '' GROUP BY trace_id HAVING true AND min(first_start) >= fromUnixTimestamp64Micro({p3:Int64}, 'UTC') ORDER BY first DESC, trace_id DESC LIMIT 18
  p0 = 'with a tombstone'
  p1 = '[\'gone\']'
  p2 = '[1]'
  p3 = '1777636800000000'
SELECT trace_id FROM traces WHERE project_id = {p0:String} AND trace_id != '' AND (trace_id IN (SELECT trace_id FROM observations WHERE project_id = {p0:String} AND deleted) OR trace_id IN {p1:Array(String)}) GROUP BY trace_id HAVING min(first_start) < fromUnixTimestamp64Micro({p4:Int64}, 'UTC') AND max(last_start) >= fromUnixTimestamp64Micro({p4:Int64}, 'UTC') LIMIT 1025
  p0 = 'with a tombstone'
  p1 = '[\'gone\']'
  p2 = '[1]'
  p3 = '1777636800000000'
  p4 = '1777636800000000'
SELECT trace_id, start_time, end_time, environment, code_version, public, bookmarked, root_id, root_start, input_tokens, output_tokens, total_tokens, total_cost, version, created, observation_count FROM (SELECT trace_id, of_bookmarked AS bookmarked, of_code_version AS code_version, of_created AS created, of_end_time AS end_time, of_environment AS environment, of_input_tokens AS input_tokens, of_observation_count AS observation_count, of_output_tokens AS output_tokens, of_public AS public, of_root_id AS root_id, of_root_start AS root_start, of_start_time AS start_time, of_total_cost AS total_cost, of_total_tokens AS total_tokens, of_version AS version FROM (SELECT trace_id, argMin(bookmarked, (NOT (parent_span_id = '' OR app_root), start_time, span_id)) AS of_bookmarked, argMin(CAST(code_version, 'String'), (NOT (parent_span_id = '' OR app_root), start_time, span_id)) AS of_code_version, min(if(toUnixTimestamp64Milli(created_at) = 0, toInt64(intDiv(version, 1024000)), toUnixTimestamp64Milli(created_at))) AS of_created, greatest(max(end_time), max(start_time)) AS of_end_time, argMin(CAST(environment, 'String'), (NOT (parent_span_id = '' OR app_root), start_time, span_id)) AS of_environment, sum(input_tokens) AS of_input_tokens, uniqExactIf(span_id, NOT (span_id = concat('t-', trace_id))) AS of_observation_count, sum(output_tokens) AS of_output_tokens, argMin(public, (NOT (parent_span_id = '' OR app_root), start_time, span_id)) AS of_public, argMin(span_id, (NOT (parent_span_id = '' OR app_root), start_time, span_id)) AS of_root_id, argMin(start_time, (NOT (parent_span_id = '' OR app_root), start_time, span_id)) AS of_root_start, min(start_time) AS of_start_time, sum(ifNull(total_cost, toDecimal64(0, 12))) AS of_total_cost, sum(ifNull(total_tokens, 0)) AS of_total_tokens, max(version) AS of_version FROM observations FINAL WHERE project_id = {p0:String} AND trace_id != '' AND trace_id IN {p3:Array(String)} AND start_time >= (SELECT min(first_start) FROM traces WHERE project_id = {p0:String} AND trace_id IN {p3:Array(String)}) AND start_time <= (SELECT max(last_start) FROM traces WHERE project_id = {p0:String} AND trace_id IN {p3:Array(String)}) AND version >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)) AND NOT deleted GROUP BY trace_id) WHERE start_time >= fromUnixTimestamp64Micro({p4:Int64}, 'UTC')) ORDER BY start_time DESC, trace_id DESC
  p0 = 'with a tombstone'
  p1 = '[\'gone\']'
  p2 = '[1]'
  p3 = '[\'trace\']'
  p4 = '1777636800000000'
SELECT trace_id, if(bitNot(min(user_id).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(user_id).value, '') AS u, if(bitNot(min(session_id).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(session_id).value, '') AS s, if(bitNot(min(name).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(name).value, '') AS n, if(bitNot(min(release).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(release).value, '') AS r, if(bitNot(min(tags).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(tags).value, []) AS t FROM traces WHERE project_id = {p0:String} AND trace_id IN {p3:Array(String)} GROUP BY trace_id
  p0 = 'with a tombstone'
  p1 = '[\'gone\']'
  p2 = '[1]'
  p3 = '[\'trace\']'
SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('score', 'project') GROUP BY kind, id ORDER BY kind, id
  p0 = 'with a tombstone'
SELECT trace_id, arraySort(groupUniqArray(10000)(id)) AS ids FROM scores FINAL WHERE timestamp IN (SELECT timestamp FROM scores WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)} AND data_type != 'CORRECTION') AND project_id = {p0:String} AND trace_id IN {p1:Array(String)} AND data_type != 'CORRECTION' AND NOT deleted AND version >= transform(trace_id, {p2:Array(String)}, {p3:Array(UInt64)}, toUInt64(0)) AND true GROUP BY trace_id
  p0 = 'with a tombstone'
  p1 = '[\'trace\']'
  p2 = '[\'gone\']'
  p3 = '[1]'
