SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('trace', 'project') GROUP BY kind, id ORDER BY kind, id
  p0 = 'p'
SELECT project_id, trace_id, span_id, parent_span_id, start_time, end_time, completion_start_time, type, name, level, status_message, environment, code_version, user_id, session_id, trace_name, release, tags, bookmarked, public, app_root, created_at, version, deleted FROM observations WHERE project_id = {p0:String} AND span_id IN {p1:Array(String)} AND start_time >= fromUnixTimestamp64Micro({p2:Int64}, 'UTC') ORDER BY start_time DESC, xxHash32(trace_id) DESC, span_id DESC, trace_id DESC LIMIT 128
  p0 = 'p'
  p1 = '[\'a\',\'it\\\'s\']'
  p2 = '1777636800000000'
SELECT trace_id, start_time, span_id, substringUTF8(substring(input, 1, 800), 1, 200) AS i, substringUTF8(substring(output, 1, 800), 1, 200) AS o, length(input) > length(i) AS input_more, length(output) > length(o) AS output_more FROM payloads WHERE project_id = {p0:String} AND (trace_id, start_time, span_id) IN (SELECT trace_id, start_time, span_id FROM wanted) ORDER BY version DESC LIMIT 1 BY trace_id, start_time, span_id
  p0 = 'p'
