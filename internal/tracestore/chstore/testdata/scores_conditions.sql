SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('trace', 'project') GROUP BY kind, id ORDER BY kind, id
-- p0 = 'p'

SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = {p0:String} AND kind IN ('score', 'project') GROUP BY kind, id ORDER BY kind, id
-- p0 = 'p'

SELECT timestamp, id, trace_id FROM scores WHERE project_id = {p0:String} AND name IN {p1:Array(String)} AND number_value <= toFloat64({p2:String}) AND number_value IN (toFloat64({p3:String}), toFloat64({p4:String})) AND NOT deleted ORDER BY timestamp DESC, id DESC, trace_id DESC LIMIT 72
-- p0 = 'p'
-- p1 = '[\'it\\\'s\',\'b\']'
-- p2 = '0.1'
-- p3 = '0.1'
-- p4 = '2'

SELECT project_id, id, timestamp, name, data_type, source, number_value, text_value, trace_id, observation_id, session_id, experiment_id, environment, comment, config_id, queue_id, author_user_id, execution_trace_id, created_at, version, deleted, meta_names, meta_values, meta_types, toUInt8(project_id = {p0:String} AND name IN {p1:Array(String)} AND number_value <= toFloat64({p2:String}) AND number_value IN (toFloat64({p3:String}), toFloat64({p4:String})) AND NOT deleted) AS matches FROM scores WHERE project_id = {p5:String} AND (timestamp, id, trace_id) IN (SELECT timestamp, id, trace_id FROM wanted) ORDER BY timestamp DESC, id DESC, trace_id DESC, version DESC
-- p0 = 'p'
-- p1 = '[\'it\\\'s\',\'b\']'
-- p2 = '0.1'
-- p3 = '0.1'
-- p4 = '2'
-- p5 = 'p'

