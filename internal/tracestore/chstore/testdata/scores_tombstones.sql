SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('trace', 'project') GROUP BY kind, id ORDER BY kind, id
-- p0 = 'p'

SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('score', 'project') GROUP BY kind, id ORDER BY kind, id
-- p0 = 'p'

SELECT timestamp, id, trace_id FROM scores WHERE project_id = {p0:String} AND version >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)) AND version >= transform(id, {p3:Array(String)}, {p4:Array(UInt64)}, toUInt64(0)) AND name IN {p5:Array(String)} AND NOT deleted ORDER BY timestamp DESC, id DESC, trace_id DESC LIMIT 72
-- p0 = 'p'
-- p1 = '[\'other\']'
-- p2 = '[9]'
-- p3 = '[\'gone\']'
-- p4 = '[9]'
-- p5 = '[\'it\\\'s\',\'b\']'

SELECT project_id, id, timestamp, name, data_type, source, number_value, text_value, trace_id, observation_id, session_id, experiment_id, environment, comment, config_id, queue_id, author_user_id, execution_trace_id, created_at, version, deleted, toUInt8(project_id = {p0:String} AND version >= transform(trace_id, {p1:Array(String)}, {p2:Array(UInt64)}, toUInt64(0)) AND version >= transform(id, {p3:Array(String)}, {p4:Array(UInt64)}, toUInt64(0)) AND name IN {p5:Array(String)} AND NOT deleted) AS matches FROM scores WHERE project_id = {p6:String} AND (timestamp, id, trace_id) IN (SELECT timestamp, id, trace_id FROM wanted) ORDER BY timestamp DESC, id DESC, trace_id DESC, version DESC
-- p0 = 'p'
-- p1 = '[\'other\']'
-- p2 = '[9]'
-- p3 = '[\'gone\']'
-- p4 = '[9]'
-- p5 = '[\'it\\\'s\',\'b\']'
-- p6 = 'p'

