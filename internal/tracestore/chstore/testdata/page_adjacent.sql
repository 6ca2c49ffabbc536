SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('trace', 'project') GROUP BY kind, id ORDER BY kind, id
  p0 = 'p'
SELECT project_id, trace_id, span_id, parent_span_id, start_time, end_time, completion_start_time, type, name, level, status_message, environment, code_version, user_id, session_id, trace_name, release, tags, bookmarked, public, app_root, created_at, version, deleted, model, model_id, model_parameters, usage_details, cost_details, pricing_tier, prompt_id, prompt_name, prompt_version, service_name, service_version, scope_name, scope_version, sdk_name, sdk_version, usage_origin, cost_origin, pricing_tier_id, tool_names, called_tool_names, experiment FROM observations WHERE project_id = {p0:String} AND start_time >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC') ORDER BY start_time DESC, xxHash32(trace_id) DESC, span_id DESC, trace_id DESC LIMIT 18
  p0 = 'p'
  p1 = '1777636800000000'
SELECT trace_id, min(user_id).value AS u, min(session_id).value AS s, min(name).value AS n, min(release).value AS r, min(tags).value AS t FROM traces WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)} GROUP BY trace_id
  p0 = 'p'
  p1 = '[\'trace\']'
SELECT trace_id, start_time, span_id, input, output, texts FROM payloads WHERE project_id = {p0:String} AND (trace_id, start_time, span_id) IN (SELECT trace_id, start_time, span_id FROM wanted) ORDER BY version DESC LIMIT 1 BY trace_id, start_time, span_id
  p0 = 'p'
