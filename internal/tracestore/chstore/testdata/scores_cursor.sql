SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('trace', 'project') GROUP BY kind, id ORDER BY kind, id
-- p0 = 'p'

SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('score', 'project') GROUP BY kind, id ORDER BY kind, id
-- p0 = 'p'

SELECT timestamp, id, trace_id FROM scores WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)} AND timestamp >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC') AND timestamp <= fromUnixTimestamp64Milli({p3:Int64}, 'UTC') AND (timestamp, id, trace_id) < (fromUnixTimestamp64Milli({p3:Int64}, 'UTC'), {p4:String}, {p5:String}) AND NOT deleted ORDER BY timestamp DESC, id DESC, trace_id DESC LIMIT 72
-- p0 = 'p'
-- p1 = '[\'t\']'
-- p2 = '1777636800000'
-- p3 = '1777636801000'
-- p4 = 'i'
-- p5 = 't'

SELECT project_id, id, timestamp, name, data_type, source, number_value, text_value, trace_id, observation_id, session_id, experiment_id, environment, comment, config_id, queue_id, author_user_id, execution_trace_id, created_at, version, deleted, toUInt8(project_id = {p0:String} AND trace_id IN {p1:Array(String)} AND timestamp >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC') AND NOT deleted) AS matches FROM scores WHERE project_id = {p3:String} AND (timestamp, id, trace_id) IN (SELECT timestamp, id, trace_id FROM wanted) ORDER BY timestamp DESC, id DESC, trace_id DESC, version DESC
-- p0 = 'p'
-- p1 = '[\'t\']'
-- p2 = '1777636800000'
-- p3 = 'p'

