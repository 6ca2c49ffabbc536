project_id = {p0:String} AND name IN {p1:Array(String)}
  p0 = 'project'
  p1 = '[\'it\\\'s\',\'back\\\\slash\']'
project_id = {p0:String} AND trace_id IN {p1:Array(String)} AND start_time >= (SELECT min(first_start) FROM traces WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)}) AND start_time <= (SELECT max(last_start) FROM traces WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)})
  p0 = 'project'
  p1 = '[\'t\']'
project_id = {p0:String} AND ((user_id IN {p1:Array(String)}) OR (user_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE project_id = {p0:String} AND trace_id IN (SELECT trace_id FROM traces WHERE project_id = {p0:String} AND user_id.value IN {p1:Array(String)}) GROUP BY trace_id HAVING min(user_id).value IN {p1:Array(String)})))
  p0 = 'project'
  p1 = '[\'u\']'
project_id = {p0:String} AND ((session_id IN {p1:Array(String)}) OR (session_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE project_id = {p0:String} AND trace_id IN (SELECT trace_id FROM traces WHERE project_id = {p0:String} AND session_id.value IN {p1:Array(String)}) GROUP BY trace_id HAVING min(session_id).value IN {p1:Array(String)})) OR (session_id = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE project_id = {p0:String} AND session_id.value != '')))
  p0 = 'project'
  p1 = '[\'s\']'
project_id = {p0:String} AND ((user_id = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE project_id = {p0:String} AND user_id.value != '')))
  p0 = 'project'
project_id = {p0:String} AND start_time >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC')
  p0 = 'project'
  p1 = '1777636800000000'
project_id = {p0:String} AND start_time < fromUnixTimestamp64Micro({p1:Int64}, 'UTC')
  p0 = 'project'
  p1 = '1777636800000000'
project_id = {p0:String} AND (parent_span_id = '' OR app_root) = true
  p0 = 'project'
cursor: AND start_time <= fromUnixTimestamp64Micro({p0:Int64}, 'UTC') AND (start_time, xxHash32(trace_id), span_id, trace_id) < (fromUnixTimestamp64Micro({p0:Int64}, 'UTC'), xxHash32({p1:String}), {p2:String}, {p1:String})
