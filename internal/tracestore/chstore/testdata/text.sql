SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('trace', 'project') GROUP BY kind, id ORDER BY kind, id
  p0 = 'p'
SELECT project_id, trace_id, span_id, parent_span_id, start_time, end_time, completion_start_time, type, name, level, status_message, environment, code_version, user_id, session_id, trace_name, release, tags, bookmarked, public, app_root, created_at, version, deleted FROM observations WHERE project_id = {p0:String} AND span_id IN {p1:Array(String)} AND start_time >= fromUnixTimestamp64Micro({p2:Int64}, 'UTC') ORDER BY start_time DESC, xxHash32(trace_id) DESC, span_id DESC, trace_id DESC LIMIT 17
  p0 = 'p'
  p1 = '[\'a\',\'it\\\'s\']'
  p2 = '1777636800000000'
SELECT version, length(input) AS size, isValidJSON(input) AS is_json FROM payloads WHERE project_id = {p0:String} AND trace_id = {p1:String} AND start_time = fromUnixTimestamp64Micro({p2:Int64}, 'UTC') AND span_id = {p3:String} ORDER BY version DESC LIMIT 1
  p0 = 'p'
  p1 = 'trace'
  p2 = '1777636800000000'
  p3 = 'a'
SELECT substring(input, 2, 10) AS piece FROM payloads WHERE project_id = {p0:String} AND trace_id = {p1:String} AND start_time = fromUnixTimestamp64Micro({p2:Int64}, 'UTC') AND span_id = {p3:String} AND version = 1820300083200000000 LIMIT 1
  p0 = 'p'
  p1 = 'trace'
  p2 = '1777636800000000'
  p3 = 'a'
