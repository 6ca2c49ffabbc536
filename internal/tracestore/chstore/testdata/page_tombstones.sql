SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('trace', 'project') GROUP BY kind, id ORDER BY kind, id
  p0 = 'with a tombstone'
SELECT trace_id, start_time, span_id FROM observations WHERE project_id = {p0:String} AND ((user_id != '' AND user_id IN {p3:Array(String)}) OR (user_id = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE project_id = {p0:String} AND user_id.value != '' GROUP BY trace_id HAVING NOT (if(bitNot(min(user_id).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(user_id).value, '') IN {p3:Array(String)})))) AND version >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)) AND NOT deleted ORDER BY start_time DESC, xxHash32(trace_id) DESC, span_id DESC, trace_id DESC LIMIT 18
  p0 = 'with a tombstone'
  p1 = '[\'gone\']'
  p2 = '[1]'
  p3 = '[\'\']'
SELECT project_id, trace_id, span_id, parent_span_id, start_time, end_time, completion_start_time, type, name, level, status_message, environment, code_version, user_id, session_id, trace_name, release, tags, bookmarked, public, app_root, created_at, version, deleted, model, model_id, model_parameters, usage_details, cost_details, pricing_tier, prompt_id, prompt_name, prompt_version, service_name, service_version, scope_name, scope_version, sdk_name, sdk_version, usage_origin, cost_origin, pricing_tier_id, tool_names, called_tool_names, experiment, toUInt8(project_id = {p0:String} AND ((user_id != '' AND user_id IN {p3:Array(String)}) OR (user_id = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE project_id = {p0:String} AND trace_id IN (SELECT trace_id FROM wanted) AND user_id.value != '' GROUP BY trace_id HAVING NOT (if(bitNot(min(user_id).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(user_id).value, '') IN {p3:Array(String)})))) AND version >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)) AND NOT deleted) AS matches FROM observations WHERE project_id = {p0:String} AND (start_time, trace_id, span_id) IN (SELECT start_time, trace_id, span_id FROM wanted) ORDER BY start_time DESC, xxHash32(trace_id) DESC, span_id DESC, trace_id DESC, version DESC
  p0 = 'with a tombstone'
  p1 = '[\'gone\']'
  p2 = '[1]'
  p3 = '[\'\']'
SELECT trace_id, if(bitNot(min(user_id).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(user_id).value, '') AS u, if(bitNot(min(session_id).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(session_id).value, '') AS s, if(bitNot(min(name).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(name).value, '') AS n, if(bitNot(min(release).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(release).value, '') AS r, if(bitNot(min(tags).newer) >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)), min(tags).value, []) AS t FROM traces WHERE project_id = {p0:String} AND trace_id IN {p3:Array(String)} GROUP BY trace_id
  p0 = 'with a tombstone'
  p1 = '[\'gone\']'
  p2 = '[1]'
  p3 = '[\'trace\']'
