SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('trace', 'project') GROUP BY kind, id ORDER BY kind, id
  p0 = 'p'
SELECT span_id, parent_span_id, start_time, end_time, completion_start_time, CAST(transform(CAST(type, 'String'), ['GENERATION', 'SPAN', 'EVENT', 'AGENT', 'TOOL', 'CHAIN', 'RETRIEVER', 'EVALUATOR', 'EMBEDDING', 'GUARDRAIL'], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 1), 'UInt8') AS of_type, CAST(transform(CAST(level, 'String'), ['DEBUG', 'DEFAULT', 'WARNING', 'ERROR'], [0, 1, 2, 3], 1), 'UInt8') AS of_level, CAST(name, 'String') AS of_name, CAST(model, 'String') AS of_model, input_tokens, output_tokens, total_tokens, total_cost, status_message != '' AS has_status, app_root, version, deleted FROM observations WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)} AND start_time >= (SELECT min(first_start) FROM traces WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)}) AND start_time <= (SELECT max(last_start) FROM traces WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)}) ORDER BY start_time, xxHash32(trace_id), span_id, trace_id
  p0 = 'p'
  p1 = '[\'trace\']'
SELECT project_id, trace_id, span_id, parent_span_id, start_time, end_time, completion_start_time, type, name, level, status_message, environment, code_version, user_id, session_id, trace_name, release, tags, bookmarked, public, app_root, created_at, version, deleted FROM observations WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)} AND start_time >= (SELECT min(first_start) FROM traces WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)}) AND start_time <= (SELECT max(last_start) FROM traces WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)}) AND span_id IN {p2:Array(String)} AND start_time >= fromUnixTimestamp64Micro({p3:Int64}, 'UTC') AND start_time <= fromUnixTimestamp64Micro({p4:Int64}, 'UTC') ORDER BY start_time DESC, xxHash32(trace_id) DESC, span_id DESC, trace_id DESC LIMIT 17
  p0 = 'p'
  p1 = '[\'trace\']'
  p2 = '[\'a\']'
  p3 = '1777636800000000'
  p4 = '1777636800000000'
SELECT trace_id, min(user_id).value AS u, min(session_id).value AS s, min(name).value AS n, min(release).value AS r, min(tags).value AS t FROM traces WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)} GROUP BY trace_id
  p0 = 'p'
  p1 = '[\'trace\']'
