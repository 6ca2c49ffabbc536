SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('trace', 'project') GROUP BY kind, id ORDER BY kind, id
  p0 = 'p'
SELECT trace_id, start_time, span_id FROM observations WHERE project_id = {p0:String} AND ((user_id != '' AND user_id IN {p1:Array(String)}) OR (user_id = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE project_id = {p0:String} AND trace_id IN (SELECT trace_id FROM traces WHERE project_id = {p0:String} AND last_start >= fromUnixTimestamp64Micro({p2:Int64}, 'UTC')) AND user_id.value != '' GROUP BY trace_id HAVING NOT (min(user_id).value IN {p1:Array(String)})))) AND start_time >= fromUnixTimestamp64Micro({p3:Int64}, 'UTC') AND start_time <= fromUnixTimestamp64Micro({p4:Int64}, 'UTC') AND (start_time, xxHash32(trace_id), span_id, trace_id) < (fromUnixTimestamp64Micro({p4:Int64}, 'UTC'), xxHash32({p5:String}), {p6:String}, {p5:String}) AND NOT deleted ORDER BY start_time DESC, xxHash32(trace_id) DESC, span_id DESC, trace_id DESC LIMIT 18
  p0 = 'p'
  p1 = '[\'\']'
  p2 = '1777636800000000'
  p3 = '1777636800000000'
  p4 = '1777636800000000'
  p5 = 'trace'
  p6 = 'c'
SELECT project_id, trace_id, span_id, parent_span_id, start_time, end_time, completion_start_time, type, name, level, status_message, environment, code_version, user_id, session_id, trace_name, release, tags, bookmarked, public, app_root, created_at, version, deleted, model, model_id, model_parameters, usage_details, cost_details, pricing_tier, prompt_id, prompt_name, prompt_version, service_name, service_version, scope_name, scope_version, sdk_name, sdk_version, usage_origin, cost_origin, pricing_tier_id, tool_names, called_tool_names, experiment, toUInt8(project_id = {p0:String} AND ((user_id != '' AND user_id IN {p1:Array(String)}) OR (user_id = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE project_id = {p0:String} AND trace_id IN (SELECT trace_id FROM wanted) AND user_id.value != '' GROUP BY trace_id HAVING NOT (min(user_id).value IN {p1:Array(String)})))) AND start_time >= fromUnixTimestamp64Micro({p2:Int64}, 'UTC') AND NOT deleted) AS matches FROM observations WHERE project_id = {p0:String} AND (start_time, trace_id, span_id) IN (SELECT start_time, trace_id, span_id FROM wanted) ORDER BY start_time DESC, xxHash32(trace_id) DESC, span_id DESC, trace_id DESC, version DESC
  p0 = 'p'
  p1 = '[\'\']'
  p2 = '1777636800000000'
