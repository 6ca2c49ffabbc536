-- {Column:id Values:[a] Not:false}
span_id IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:id Values:[a ] Not:true}
span_id NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:id Op:1 Value:a}
span_id IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:id Op:2 Value:a}
position(span_id, {p0:String}) > 0
  p0 = 'a'
-- {Column:id Op:3 Value:a}
position(span_id, {p0:String}) = 0
  p0 = 'a'
-- {Column:id Op:4 Value:a}
startsWith(span_id, {p0:String})
  p0 = 'a'
-- {Column:id Op:5 Value:a}
endsWith(span_id, {p0:String})
  p0 = 'a'
-- {Column:traceId Values:[a] Not:false}
trace_id IN {p0:Array(String)} AND start_time >= (SELECT min(first_start) FROM traces WHERE PROJECT AND trace_id IN {p0:Array(String)}) AND start_time <= (SELECT max(last_start) FROM traces WHERE PROJECT AND trace_id IN {p0:Array(String)})
  p0 = '[\'a\']'
-- {Column:traceId Values:[a ] Not:true}
trace_id NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:traceId Op:1 Value:a}
trace_id IN {p0:Array(String)} AND start_time >= (SELECT min(first_start) FROM traces WHERE PROJECT AND trace_id IN {p0:Array(String)}) AND start_time <= (SELECT max(last_start) FROM traces WHERE PROJECT AND trace_id IN {p0:Array(String)})
  p0 = '[\'a\']'
-- {Column:traceId Op:2 Value:a}
position(trace_id, {p0:String}) > 0
  p0 = 'a'
-- {Column:traceId Op:3 Value:a}
position(trace_id, {p0:String}) = 0
  p0 = 'a'
-- {Column:traceId Op:4 Value:a}
startsWith(trace_id, {p0:String})
  p0 = 'a'
-- {Column:traceId Op:5 Value:a}
endsWith(trace_id, {p0:String})
  p0 = 'a'
-- {Column:parentObservationId Values:[a] Not:false}
parent_span_id IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:parentObservationId Values:[a ] Not:true}
parent_span_id NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:parentObservationId Op:1 Value:a}
parent_span_id IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:parentObservationId Op:2 Value:a}
position(parent_span_id, {p0:String}) > 0
  p0 = 'a'
-- {Column:parentObservationId Op:3 Value:a}
position(parent_span_id, {p0:String}) = 0
  p0 = 'a'
-- {Column:parentObservationId Op:4 Value:a}
startsWith(parent_span_id, {p0:String})
  p0 = 'a'
-- {Column:parentObservationId Op:5 Value:a}
endsWith(parent_span_id, {p0:String})
  p0 = 'a'
-- {Column:type Values:[a] Not:false}
type IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:type Values:[a ] Not:true}
type NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:type Op:1 Value:a}
type IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:type Op:2 Value:a}
position(type, {p0:String}) > 0
  p0 = 'a'
-- {Column:type Op:3 Value:a}
position(type, {p0:String}) = 0
  p0 = 'a'
-- {Column:type Op:4 Value:a}
startsWith(type, {p0:String})
  p0 = 'a'
-- {Column:type Op:5 Value:a}
endsWith(type, {p0:String})
  p0 = 'a'
-- {Column:name Values:[a] Not:false}
name IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:name Values:[a ] Not:true}
name NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:name Op:1 Value:a}
name IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:name Op:2 Value:a}
position(name, {p0:String}) > 0
  p0 = 'a'
-- {Column:name Op:3 Value:a}
position(name, {p0:String}) = 0
  p0 = 'a'
-- {Column:name Op:4 Value:a}
startsWith(name, {p0:String})
  p0 = 'a'
-- {Column:name Op:5 Value:a}
endsWith(name, {p0:String})
  p0 = 'a'
-- {Column:level Values:[a] Not:false}
level IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:level Values:[a ] Not:true}
level NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:level Op:1 Value:a}
level IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:level Op:2 Value:a}
position(level, {p0:String}) > 0
  p0 = 'a'
-- {Column:level Op:3 Value:a}
position(level, {p0:String}) = 0
  p0 = 'a'
-- {Column:level Op:4 Value:a}
startsWith(level, {p0:String})
  p0 = 'a'
-- {Column:level Op:5 Value:a}
endsWith(level, {p0:String})
  p0 = 'a'
-- {Column:statusMessage Values:[a] Not:false}
status_message IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:statusMessage Values:[a ] Not:true}
status_message NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:statusMessage Op:1 Value:a}
status_message IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:statusMessage Op:2 Value:a}
position(status_message, {p0:String}) > 0
  p0 = 'a'
-- {Column:statusMessage Op:3 Value:a}
position(status_message, {p0:String}) = 0
  p0 = 'a'
-- {Column:statusMessage Op:4 Value:a}
startsWith(status_message, {p0:String})
  p0 = 'a'
-- {Column:statusMessage Op:5 Value:a}
endsWith(status_message, {p0:String})
  p0 = 'a'
-- {Column:environment Values:[a] Not:false}
environment IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:environment Values:[a ] Not:true}
environment NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:environment Op:1 Value:a}
environment IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:environment Op:2 Value:a}
position(environment, {p0:String}) > 0
  p0 = 'a'
-- {Column:environment Op:3 Value:a}
position(environment, {p0:String}) = 0
  p0 = 'a'
-- {Column:environment Op:4 Value:a}
startsWith(environment, {p0:String})
  p0 = 'a'
-- {Column:environment Op:5 Value:a}
endsWith(environment, {p0:String})
  p0 = 'a'
-- {Column:version Values:[a] Not:false}
code_version IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:version Values:[a ] Not:true}
code_version NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:version Op:1 Value:a}
code_version IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:version Op:2 Value:a}
position(code_version, {p0:String}) > 0
  p0 = 'a'
-- {Column:version Op:3 Value:a}
position(code_version, {p0:String}) = 0
  p0 = 'a'
-- {Column:version Op:4 Value:a}
startsWith(code_version, {p0:String})
  p0 = 'a'
-- {Column:version Op:5 Value:a}
endsWith(code_version, {p0:String})
  p0 = 'a'
-- {Column:userId Values:[a] Not:false}
((user_id != '' AND user_id IN {p0:Array(String)}) OR (user_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND user_id.value IN {p1:Array(String)}) AND user_id.value != '' GROUP BY trace_id HAVING min(user_id).value IN {p0:Array(String)})))
  p0 = '[\'a\']'
  p1 = '[\'a\']'
-- {Column:userId Values:[a ] Not:true}
((user_id != '' AND user_id NOT IN {p0:Array(String)}) OR (user_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND user_id.value != '' GROUP BY trace_id HAVING min(user_id).value NOT IN {p0:Array(String)})))
  p0 = '[\'a\',\'\']'
-- {Column:userId Op:1 Value:a}
((user_id != '' AND user_id IN {p0:Array(String)}) OR (user_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND user_id.value IN {p1:Array(String)}) AND user_id.value != '' GROUP BY trace_id HAVING min(user_id).value IN {p0:Array(String)})))
  p0 = '[\'a\']'
  p1 = '[\'a\']'
-- {Column:userId Op:2 Value:a}
((user_id != '' AND position(user_id, {p0:String}) > 0) OR (user_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND user_id.value != '' GROUP BY trace_id HAVING position(min(user_id).value, {p0:String}) > 0)))
  p0 = 'a'
-- {Column:userId Op:3 Value:a}
((user_id != '' AND position(user_id, {p0:String}) = 0) OR (user_id = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE PROJECT AND user_id.value != '' GROUP BY trace_id HAVING NOT (position(min(user_id).value, {p0:String}) = 0))))
  p0 = 'a'
-- {Column:userId Op:4 Value:a}
((user_id != '' AND startsWith(user_id, {p0:String})) OR (user_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND user_id.value != '' GROUP BY trace_id HAVING startsWith(min(user_id).value, {p0:String}))))
  p0 = 'a'
-- {Column:userId Op:5 Value:a}
((user_id != '' AND endsWith(user_id, {p0:String})) OR (user_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND user_id.value != '' GROUP BY trace_id HAVING endsWith(min(user_id).value, {p0:String}))))
  p0 = 'a'
-- {Column:sessionId Values:[a] Not:false}
((session_id != '' AND session_id IN {p0:Array(String)}) OR (session_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND session_id.value IN {p1:Array(String)}) AND session_id.value != '' GROUP BY trace_id HAVING min(session_id).value IN {p0:Array(String)})))
  p0 = '[\'a\']'
  p1 = '[\'a\']'
-- {Column:sessionId Values:[a ] Not:true}
((session_id != '' AND session_id NOT IN {p0:Array(String)}) OR (session_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND session_id.value != '' GROUP BY trace_id HAVING min(session_id).value NOT IN {p0:Array(String)})))
  p0 = '[\'a\',\'\']'
-- {Column:sessionId Op:1 Value:a}
((session_id != '' AND session_id IN {p0:Array(String)}) OR (session_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND session_id.value IN {p1:Array(String)}) AND session_id.value != '' GROUP BY trace_id HAVING min(session_id).value IN {p0:Array(String)})))
  p0 = '[\'a\']'
  p1 = '[\'a\']'
-- {Column:sessionId Op:2 Value:a}
((session_id != '' AND position(session_id, {p0:String}) > 0) OR (session_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND session_id.value != '' GROUP BY trace_id HAVING position(min(session_id).value, {p0:String}) > 0)))
  p0 = 'a'
-- {Column:sessionId Op:3 Value:a}
((session_id != '' AND position(session_id, {p0:String}) = 0) OR (session_id = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE PROJECT AND session_id.value != '' GROUP BY trace_id HAVING NOT (position(min(session_id).value, {p0:String}) = 0))))
  p0 = 'a'
-- {Column:sessionId Op:4 Value:a}
((session_id != '' AND startsWith(session_id, {p0:String})) OR (session_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND session_id.value != '' GROUP BY trace_id HAVING startsWith(min(session_id).value, {p0:String}))))
  p0 = 'a'
-- {Column:sessionId Op:5 Value:a}
((session_id != '' AND endsWith(session_id, {p0:String})) OR (session_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND session_id.value != '' GROUP BY trace_id HAVING endsWith(min(session_id).value, {p0:String}))))
  p0 = 'a'
-- {Column:traceName Values:[a] Not:false}
((trace_name != '' AND trace_name IN {p0:Array(String)}) OR (trace_name = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND name.value IN {p1:Array(String)}) AND name.value != '' GROUP BY trace_id HAVING min(name).value IN {p0:Array(String)})))
  p0 = '[\'a\']'
  p1 = '[\'a\']'
-- {Column:traceName Values:[a ] Not:true}
((trace_name != '' AND trace_name NOT IN {p0:Array(String)}) OR (trace_name = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND name.value != '' GROUP BY trace_id HAVING min(name).value NOT IN {p0:Array(String)})))
  p0 = '[\'a\',\'\']'
-- {Column:traceName Op:1 Value:a}
((trace_name != '' AND trace_name IN {p0:Array(String)}) OR (trace_name = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND name.value IN {p1:Array(String)}) AND name.value != '' GROUP BY trace_id HAVING min(name).value IN {p0:Array(String)})))
  p0 = '[\'a\']'
  p1 = '[\'a\']'
-- {Column:traceName Op:2 Value:a}
((trace_name != '' AND position(trace_name, {p0:String}) > 0) OR (trace_name = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND name.value != '' GROUP BY trace_id HAVING position(min(name).value, {p0:String}) > 0)))
  p0 = 'a'
-- {Column:traceName Op:3 Value:a}
((trace_name != '' AND position(trace_name, {p0:String}) = 0) OR (trace_name = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE PROJECT AND name.value != '' GROUP BY trace_id HAVING NOT (position(min(name).value, {p0:String}) = 0))))
  p0 = 'a'
-- {Column:traceName Op:4 Value:a}
((trace_name != '' AND startsWith(trace_name, {p0:String})) OR (trace_name = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND name.value != '' GROUP BY trace_id HAVING startsWith(min(name).value, {p0:String}))))
  p0 = 'a'
-- {Column:traceName Op:5 Value:a}
((trace_name != '' AND endsWith(trace_name, {p0:String})) OR (trace_name = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND name.value != '' GROUP BY trace_id HAVING endsWith(min(name).value, {p0:String}))))
  p0 = 'a'
-- {Column:release Values:[a] Not:false}
((release != '' AND release IN {p0:Array(String)}) OR (release = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND release.value IN {p1:Array(String)}) AND release.value != '' GROUP BY trace_id HAVING min(release).value IN {p0:Array(String)})))
  p0 = '[\'a\']'
  p1 = '[\'a\']'
-- {Column:release Values:[a ] Not:true}
((release != '' AND release NOT IN {p0:Array(String)}) OR (release = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND release.value != '' GROUP BY trace_id HAVING min(release).value NOT IN {p0:Array(String)})))
  p0 = '[\'a\',\'\']'
-- {Column:release Op:1 Value:a}
((release != '' AND release IN {p0:Array(String)}) OR (release = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND release.value IN {p1:Array(String)}) AND release.value != '' GROUP BY trace_id HAVING min(release).value IN {p0:Array(String)})))
  p0 = '[\'a\']'
  p1 = '[\'a\']'
-- {Column:release Op:2 Value:a}
((release != '' AND position(release, {p0:String}) > 0) OR (release = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND release.value != '' GROUP BY trace_id HAVING position(min(release).value, {p0:String}) > 0)))
  p0 = 'a'
-- {Column:release Op:3 Value:a}
((release != '' AND position(release, {p0:String}) = 0) OR (release = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE PROJECT AND release.value != '' GROUP BY trace_id HAVING NOT (position(min(release).value, {p0:String}) = 0))))
  p0 = 'a'
-- {Column:release Op:4 Value:a}
((release != '' AND startsWith(release, {p0:String})) OR (release = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND release.value != '' GROUP BY trace_id HAVING startsWith(min(release).value, {p0:String}))))
  p0 = 'a'
-- {Column:release Op:5 Value:a}
((release != '' AND endsWith(release, {p0:String})) OR (release = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND release.value != '' GROUP BY trace_id HAVING endsWith(min(release).value, {p0:String}))))
  p0 = 'a'
-- {Column:model Values:[a] Not:false}
model IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:model Values:[a ] Not:true}
model NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:model Op:1 Value:a}
model IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:model Op:2 Value:a}
position(model, {p0:String}) > 0
  p0 = 'a'
-- {Column:model Op:3 Value:a}
position(model, {p0:String}) = 0
  p0 = 'a'
-- {Column:model Op:4 Value:a}
startsWith(model, {p0:String})
  p0 = 'a'
-- {Column:model Op:5 Value:a}
endsWith(model, {p0:String})
  p0 = 'a'
-- {Column:modelId Values:[a] Not:false}
model_id IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:modelId Values:[a ] Not:true}
model_id NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:modelId Op:1 Value:a}
model_id IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:modelId Op:2 Value:a}
position(model_id, {p0:String}) > 0
  p0 = 'a'
-- {Column:modelId Op:3 Value:a}
position(model_id, {p0:String}) = 0
  p0 = 'a'
-- {Column:modelId Op:4 Value:a}
startsWith(model_id, {p0:String})
  p0 = 'a'
-- {Column:modelId Op:5 Value:a}
endsWith(model_id, {p0:String})
  p0 = 'a'
-- {Column:promptName Values:[a] Not:false}
prompt_name IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:promptName Values:[a ] Not:true}
prompt_name NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:promptName Op:1 Value:a}
prompt_name IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:promptName Op:2 Value:a}
position(prompt_name, {p0:String}) > 0
  p0 = 'a'
-- {Column:promptName Op:3 Value:a}
position(prompt_name, {p0:String}) = 0
  p0 = 'a'
-- {Column:promptName Op:4 Value:a}
startsWith(prompt_name, {p0:String})
  p0 = 'a'
-- {Column:promptName Op:5 Value:a}
endsWith(prompt_name, {p0:String})
  p0 = 'a'
-- {Column:experimentId Values:[a] Not:false}
experiment['id'] IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:experimentId Values:[a ] Not:true}
experiment['id'] NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:experimentId Op:1 Value:a}
experiment['id'] IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:experimentId Op:2 Value:a}
position(experiment['id'], {p0:String}) > 0
  p0 = 'a'
-- {Column:experimentId Op:3 Value:a}
position(experiment['id'], {p0:String}) = 0
  p0 = 'a'
-- {Column:experimentId Op:4 Value:a}
startsWith(experiment['id'], {p0:String})
  p0 = 'a'
-- {Column:experimentId Op:5 Value:a}
endsWith(experiment['id'], {p0:String})
  p0 = 'a'
-- {Column:experimentName Values:[a] Not:false}
experiment['name'] IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:experimentName Values:[a ] Not:true}
experiment['name'] NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:experimentName Op:1 Value:a}
experiment['name'] IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:experimentName Op:2 Value:a}
position(experiment['name'], {p0:String}) > 0
  p0 = 'a'
-- {Column:experimentName Op:3 Value:a}
position(experiment['name'], {p0:String}) = 0
  p0 = 'a'
-- {Column:experimentName Op:4 Value:a}
startsWith(experiment['name'], {p0:String})
  p0 = 'a'
-- {Column:experimentName Op:5 Value:a}
endsWith(experiment['name'], {p0:String})
  p0 = 'a'
-- {Column:experimentDatasetId Values:[a] Not:false}
experiment['dataset_id'] IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:experimentDatasetId Values:[a ] Not:true}
experiment['dataset_id'] NOT IN {p0:Array(String)}
  p0 = '[\'a\',\'\']'
-- {Column:experimentDatasetId Op:1 Value:a}
experiment['dataset_id'] IN {p0:Array(String)}
  p0 = '[\'a\']'
-- {Column:experimentDatasetId Op:2 Value:a}
position(experiment['dataset_id'], {p0:String}) > 0
  p0 = 'a'
-- {Column:experimentDatasetId Op:3 Value:a}
position(experiment['dataset_id'], {p0:String}) = 0
  p0 = 'a'
-- {Column:experimentDatasetId Op:4 Value:a}
startsWith(experiment['dataset_id'], {p0:String})
  p0 = 'a'
-- {Column:experimentDatasetId Op:5 Value:a}
endsWith(experiment['dataset_id'], {p0:String})
  p0 = 'a'
-- {Column:tags Op:1 Values:[a b]}
((notEmpty(tags) AND hasAny(tags, {p0:Array(String)})) OR (empty(tags) AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND notEmpty(tags.value) GROUP BY trace_id HAVING hasAny(min(tags).value, {p0:Array(String)}))))
  p0 = '[\'a\',\'b\']'
-- {Column:tags Op:2 Values:[a b]}
((notEmpty(tags) AND NOT hasAny(tags, {p0:Array(String)})) OR (empty(tags) AND trace_id NOT IN (SELECT trace_id FROM traces WHERE PROJECT AND notEmpty(tags.value) GROUP BY trace_id HAVING NOT (NOT hasAny(min(tags).value, {p0:Array(String)})))))
  p0 = '[\'a\',\'b\']'
-- {Column:tags Op:3 Values:[a b]}
((notEmpty(tags) AND hasAll(tags, {p0:Array(String)})) OR (empty(tags) AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND notEmpty(tags.value) GROUP BY trace_id HAVING hasAll(min(tags).value, {p0:Array(String)}))))
  p0 = '[\'a\',\'b\']'
-- {Column:toolNames Op:1 Values:[a b]}
hasAny(tool_names, {p0:Array(String)})
  p0 = '[\'a\',\'b\']'
-- {Column:toolNames Op:2 Values:[a b]}
NOT hasAny(tool_names, {p0:Array(String)})
  p0 = '[\'a\',\'b\']'
-- {Column:toolNames Op:3 Values:[a b]}
hasAll(tool_names, {p0:Array(String)})
  p0 = '[\'a\',\'b\']'
-- {Column:calledToolNames Op:1 Values:[a b]}
hasAny(called_tool_names, {p0:Array(String)})
  p0 = '[\'a\',\'b\']'
-- {Column:calledToolNames Op:2 Values:[a b]}
NOT hasAny(called_tool_names, {p0:Array(String)})
  p0 = '[\'a\',\'b\']'
-- {Column:calledToolNames Op:3 Values:[a b]}
hasAll(called_tool_names, {p0:Array(String)})
  p0 = '[\'a\',\'b\']'
-- {Column:latency Op:1 Value:1.5}
(toUnixTimestamp64Micro(end_time) != 0 AND intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000 = toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:timeToFirstToken Op:1 Value:1.5}
(toUnixTimestamp64Micro(completion_start_time) != 0 AND intDiv(toUnixTimestamp64Micro(completion_start_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000 = toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:tokensPerSecond Op:1 Value:1.5}
(toUnixTimestamp64Micro(end_time) != 0 AND intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) != 0 AND toFloat64(output_tokens) / (intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000) = toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:inputTokens Op:1 Value:1.5}
(true AND toFloat64(input_tokens) = toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:outputTokens Op:1 Value:1.5}
(true AND toFloat64(output_tokens) = toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:totalTokens Op:1 Value:1.5}
(total_tokens IS NOT NULL AND toFloat64(assumeNotNull(total_tokens)) = toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:inputCost Op:1 Value:1.5}
(input_cost IS NOT NULL AND assumeNotNull(input_cost) = {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:outputCost Op:1 Value:1.5}
(output_cost IS NOT NULL AND assumeNotNull(output_cost) = {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:totalCost Op:1 Value:1.5}
(total_cost IS NOT NULL AND assumeNotNull(total_cost) = {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:promptVersion Op:1 Value:1.5}
(prompt_version != 0 AND toFloat64(prompt_version) = toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:toolDefinitions Op:1 Value:1.5}
(true AND toFloat64(length(tool_names)) = toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:toolCalls Op:1 Value:1.5}
(true AND toFloat64(length(called_tool_names)) = toFloat64({p0:String}))
  p0 = '1.5'
-- {Key:k Op:1 Value:1e-07}
(meta_types[indexOf(meta_names, {p0:String})] = 2 AND isFinite(ifNull(toFloat64OrNull(meta_values[indexOf(meta_names, {p0:String})]), nan)) AND ifNull(toFloat64OrNull(meta_values[indexOf(meta_names, {p0:String})]), nan) = toFloat64({p1:String}))
  p0 = 'k'
  p1 = '1e-07'
-- {Column:latency Op:2 Value:1.5}
(toUnixTimestamp64Micro(end_time) != 0 AND intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000 > toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:timeToFirstToken Op:2 Value:1.5}
(toUnixTimestamp64Micro(completion_start_time) != 0 AND intDiv(toUnixTimestamp64Micro(completion_start_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000 > toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:tokensPerSecond Op:2 Value:1.5}
(toUnixTimestamp64Micro(end_time) != 0 AND intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) != 0 AND toFloat64(output_tokens) / (intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000) > toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:inputTokens Op:2 Value:1.5}
(true AND toFloat64(input_tokens) > toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:outputTokens Op:2 Value:1.5}
(true AND toFloat64(output_tokens) > toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:totalTokens Op:2 Value:1.5}
(total_tokens IS NOT NULL AND toFloat64(assumeNotNull(total_tokens)) > toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:inputCost Op:2 Value:1.5}
(input_cost IS NOT NULL AND assumeNotNull(input_cost) > {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:outputCost Op:2 Value:1.5}
(output_cost IS NOT NULL AND assumeNotNull(output_cost) > {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:totalCost Op:2 Value:1.5}
(total_cost IS NOT NULL AND assumeNotNull(total_cost) > {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:promptVersion Op:2 Value:1.5}
(prompt_version != 0 AND toFloat64(prompt_version) > toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:toolDefinitions Op:2 Value:1.5}
(true AND toFloat64(length(tool_names)) > toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:toolCalls Op:2 Value:1.5}
(true AND toFloat64(length(called_tool_names)) > toFloat64({p0:String}))
  p0 = '1.5'
-- {Key:k Op:2 Value:1e-07}
(meta_types[indexOf(meta_names, {p0:String})] = 2 AND isFinite(ifNull(toFloat64OrNull(meta_values[indexOf(meta_names, {p0:String})]), nan)) AND ifNull(toFloat64OrNull(meta_values[indexOf(meta_names, {p0:String})]), nan) > toFloat64({p1:String}))
  p0 = 'k'
  p1 = '1e-07'
-- {Column:startTime Op:2 At:2026-05-01 12:00:00 +0000 UTC}
start_time > fromUnixTimestamp64Micro({p0:Int64}, 'UTC')
  p0 = '1777636800000000'
-- {Column:endTime Op:2 At:2026-05-01 12:00:00 +0000 UTC}
(toUnixTimestamp64Micro(end_time) != 0 AND end_time > fromUnixTimestamp64Micro({p0:Int64}, 'UTC'))
  p0 = '1777636800000000'
-- {Column:latency Op:3 Value:1.5}
(toUnixTimestamp64Micro(end_time) != 0 AND intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000 < toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:timeToFirstToken Op:3 Value:1.5}
(toUnixTimestamp64Micro(completion_start_time) != 0 AND intDiv(toUnixTimestamp64Micro(completion_start_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000 < toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:tokensPerSecond Op:3 Value:1.5}
(toUnixTimestamp64Micro(end_time) != 0 AND intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) != 0 AND toFloat64(output_tokens) / (intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000) < toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:inputTokens Op:3 Value:1.5}
(true AND toFloat64(input_tokens) < toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:outputTokens Op:3 Value:1.5}
(true AND toFloat64(output_tokens) < toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:totalTokens Op:3 Value:1.5}
(total_tokens IS NOT NULL AND toFloat64(assumeNotNull(total_tokens)) < toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:inputCost Op:3 Value:1.5}
(input_cost IS NOT NULL AND assumeNotNull(input_cost) < {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:outputCost Op:3 Value:1.5}
(output_cost IS NOT NULL AND assumeNotNull(output_cost) < {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:totalCost Op:3 Value:1.5}
(total_cost IS NOT NULL AND assumeNotNull(total_cost) < {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:promptVersion Op:3 Value:1.5}
(prompt_version != 0 AND toFloat64(prompt_version) < toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:toolDefinitions Op:3 Value:1.5}
(true AND toFloat64(length(tool_names)) < toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:toolCalls Op:3 Value:1.5}
(true AND toFloat64(length(called_tool_names)) < toFloat64({p0:String}))
  p0 = '1.5'
-- {Key:k Op:3 Value:1e-07}
(meta_types[indexOf(meta_names, {p0:String})] = 2 AND isFinite(ifNull(toFloat64OrNull(meta_values[indexOf(meta_names, {p0:String})]), nan)) AND ifNull(toFloat64OrNull(meta_values[indexOf(meta_names, {p0:String})]), nan) < toFloat64({p1:String}))
  p0 = 'k'
  p1 = '1e-07'
-- {Column:startTime Op:3 At:2026-05-01 12:00:00 +0000 UTC}
start_time < fromUnixTimestamp64Micro({p0:Int64}, 'UTC')
  p0 = '1777636800000000'
-- {Column:endTime Op:3 At:2026-05-01 12:00:00 +0000 UTC}
(toUnixTimestamp64Micro(end_time) != 0 AND end_time < fromUnixTimestamp64Micro({p0:Int64}, 'UTC'))
  p0 = '1777636800000000'
-- {Column:latency Op:4 Value:1.5}
(toUnixTimestamp64Micro(end_time) != 0 AND intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000 >= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:timeToFirstToken Op:4 Value:1.5}
(toUnixTimestamp64Micro(completion_start_time) != 0 AND intDiv(toUnixTimestamp64Micro(completion_start_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000 >= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:tokensPerSecond Op:4 Value:1.5}
(toUnixTimestamp64Micro(end_time) != 0 AND intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) != 0 AND toFloat64(output_tokens) / (intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000) >= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:inputTokens Op:4 Value:1.5}
(true AND toFloat64(input_tokens) >= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:outputTokens Op:4 Value:1.5}
(true AND toFloat64(output_tokens) >= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:totalTokens Op:4 Value:1.5}
(total_tokens IS NOT NULL AND toFloat64(assumeNotNull(total_tokens)) >= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:inputCost Op:4 Value:1.5}
(input_cost IS NOT NULL AND assumeNotNull(input_cost) >= {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:outputCost Op:4 Value:1.5}
(output_cost IS NOT NULL AND assumeNotNull(output_cost) >= {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:totalCost Op:4 Value:1.5}
(total_cost IS NOT NULL AND assumeNotNull(total_cost) >= {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:promptVersion Op:4 Value:1.5}
(prompt_version != 0 AND toFloat64(prompt_version) >= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:toolDefinitions Op:4 Value:1.5}
(true AND toFloat64(length(tool_names)) >= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:toolCalls Op:4 Value:1.5}
(true AND toFloat64(length(called_tool_names)) >= toFloat64({p0:String}))
  p0 = '1.5'
-- {Key:k Op:4 Value:1e-07}
(meta_types[indexOf(meta_names, {p0:String})] = 2 AND isFinite(ifNull(toFloat64OrNull(meta_values[indexOf(meta_names, {p0:String})]), nan)) AND ifNull(toFloat64OrNull(meta_values[indexOf(meta_names, {p0:String})]), nan) >= toFloat64({p1:String}))
  p0 = 'k'
  p1 = '1e-07'
-- {Column:startTime Op:4 At:2026-05-01 12:00:00 +0000 UTC}
start_time >= fromUnixTimestamp64Micro({p0:Int64}, 'UTC')
  p0 = '1777636800000000'
-- {Column:endTime Op:4 At:2026-05-01 12:00:00 +0000 UTC}
(toUnixTimestamp64Micro(end_time) != 0 AND end_time >= fromUnixTimestamp64Micro({p0:Int64}, 'UTC'))
  p0 = '1777636800000000'
-- {Column:latency Op:5 Value:1.5}
(toUnixTimestamp64Micro(end_time) != 0 AND intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000 <= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:timeToFirstToken Op:5 Value:1.5}
(toUnixTimestamp64Micro(completion_start_time) != 0 AND intDiv(toUnixTimestamp64Micro(completion_start_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000 <= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:tokensPerSecond Op:5 Value:1.5}
(toUnixTimestamp64Micro(end_time) != 0 AND intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) != 0 AND toFloat64(output_tokens) / (intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) / 1000) <= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:inputTokens Op:5 Value:1.5}
(true AND toFloat64(input_tokens) <= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:outputTokens Op:5 Value:1.5}
(true AND toFloat64(output_tokens) <= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:totalTokens Op:5 Value:1.5}
(total_tokens IS NOT NULL AND toFloat64(assumeNotNull(total_tokens)) <= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:inputCost Op:5 Value:1.5}
(input_cost IS NOT NULL AND assumeNotNull(input_cost) <= {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:outputCost Op:5 Value:1.5}
(output_cost IS NOT NULL AND assumeNotNull(output_cost) <= {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:totalCost Op:5 Value:1.5}
(total_cost IS NOT NULL AND assumeNotNull(total_cost) <= {p0:Decimal(38, 13)})
  p0 = '1.5'
-- {Column:promptVersion Op:5 Value:1.5}
(prompt_version != 0 AND toFloat64(prompt_version) <= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:toolDefinitions Op:5 Value:1.5}
(true AND toFloat64(length(tool_names)) <= toFloat64({p0:String}))
  p0 = '1.5'
-- {Column:toolCalls Op:5 Value:1.5}
(true AND toFloat64(length(called_tool_names)) <= toFloat64({p0:String}))
  p0 = '1.5'
-- {Key:k Op:5 Value:1e-07}
(meta_types[indexOf(meta_names, {p0:String})] = 2 AND isFinite(ifNull(toFloat64OrNull(meta_values[indexOf(meta_names, {p0:String})]), nan)) AND ifNull(toFloat64OrNull(meta_values[indexOf(meta_names, {p0:String})]), nan) <= toFloat64({p1:String}))
  p0 = 'k'
  p1 = '1e-07'
-- {Column:startTime Op:5 At:2026-05-01 12:00:00 +0000 UTC}
start_time <= fromUnixTimestamp64Micro({p0:Int64}, 'UTC')
  p0 = '1777636800000000'
-- {Column:endTime Op:5 At:2026-05-01 12:00:00 +0000 UTC}
(toUnixTimestamp64Micro(end_time) != 0 AND end_time <= fromUnixTimestamp64Micro({p0:Int64}, 'UTC'))
  p0 = '1777636800000000'
-- {Key:k Op:1 Value:a, b}
(has(arrayMap((k, v) -> concat(k, '=', v), meta_names, meta_values), {p2:String}) AND indexOf(meta_names, {p0:String}) > 0 AND meta_values[indexOf(meta_names, {p0:String})] = {p1:String})
  p0 = 'k'
  p1 = 'a, b'
  p2 = 'k=a, b'
-- {Key:k Op:2 Value:a, b}
(indexOf(meta_names, {p0:String}) > 0 AND position(meta_values[indexOf(meta_names, {p0:String})], {p1:String}) > 0)
  p0 = 'k'
  p1 = 'a, b'
-- {Key:k Op:3 Value:a, b}
(indexOf(meta_names, {p0:String}) > 0 AND position(meta_values[indexOf(meta_names, {p0:String})], {p1:String}) = 0)
  p0 = 'k'
  p1 = 'a, b'
-- {Key:k Op:4 Value:a, b}
(indexOf(meta_names, {p0:String}) > 0 AND startsWith(meta_values[indexOf(meta_names, {p0:String})], {p1:String}))
  p0 = 'k'
  p1 = 'a, b'
-- {Key:k Op:5 Value:a, b}
(indexOf(meta_names, {p0:String}) > 0 AND endsWith(meta_values[indexOf(meta_names, {p0:String})], {p1:String}))
  p0 = 'k'
  p1 = 'a, b'
-- {Key:k Op:6 Value:a, b}
(indexOf(meta_names, {p0:String}) > 0 AND position(meta_values[indexOf(meta_names, {p0:String})], {p1:String}) > 0 AND hasAllTokens(meta_values[indexOf(meta_names, {p0:String})], {p2:Array(String)}))
  p0 = 'k'
  p1 = 'a, b'
  p2 = '[\'a\',\'b\']'
-- {Column:isRootObservation Want:true}
(parent_span_id = '' OR app_root) = true
-- {Column:hasParentObservation Want:true}
(parent_span_id != '') = true
-- {Column:isExperimentItemRootSpan Want:true}
(experiment['item_root_id'] = span_id AND experiment['item_id'] != '') = true
-- {Column:id Want:true}
(span_id != '')
-- {Column:traceId Want:true}
(trace_id != '')
-- {Column:parentObservationId Want:true}
(parent_span_id != '')
-- {Column:type Want:true}
(type != '')
-- {Column:name Want:true}
(name != '')
-- {Column:level Want:true}
(level != '')
-- {Column:statusMessage Want:true}
(status_message != '')
-- {Column:environment Want:true}
(environment != '')
-- {Column:version Want:true}
(code_version != '')
-- {Column:userId Want:true}
((user_id != '' AND user_id != '') OR (user_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND user_id.value != '' GROUP BY trace_id HAVING min(user_id).value != '')))
-- {Column:sessionId Want:true}
((session_id != '' AND session_id != '') OR (session_id = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND session_id.value != '' GROUP BY trace_id HAVING min(session_id).value != '')))
-- {Column:traceName Want:true}
((trace_name != '' AND trace_name != '') OR (trace_name = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND name.value != '' GROUP BY trace_id HAVING min(name).value != '')))
-- {Column:release Want:true}
((release != '' AND release != '') OR (release = '' AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND release.value != '' GROUP BY trace_id HAVING min(release).value != '')))
-- {Column:model Want:true}
(model != '')
-- {Column:modelId Want:true}
(model_id != '')
-- {Column:promptName Want:true}
(prompt_name != '')
-- {Column:experimentId Want:true}
(experiment['id'] != '')
-- {Column:experimentName Want:true}
(experiment['name'] != '')
-- {Column:experimentDatasetId Want:true}
(experiment['dataset_id'] != '')
-- {Column:tags Want:true}
((notEmpty(tags) AND notEmpty(tags)) OR (empty(tags) AND trace_id IN (SELECT trace_id FROM traces WHERE PROJECT AND notEmpty(tags.value) GROUP BY trace_id HAVING notEmpty(min(tags).value))))
-- {Column:toolNames Want:true}
(notEmpty(tool_names))
-- {Column:calledToolNames Want:true}
(notEmpty(called_tool_names))
-- {Column:latency Want:true}
(toUnixTimestamp64Micro(end_time) != 0)
-- {Column:timeToFirstToken Want:true}
(toUnixTimestamp64Micro(completion_start_time) != 0)
-- {Column:tokensPerSecond Want:true}
(toUnixTimestamp64Micro(end_time) != 0 AND intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) != 0)
-- {Column:inputTokens Want:true}
(true)
-- {Column:outputTokens Want:true}
(true)
-- {Column:totalTokens Want:true}
(total_tokens IS NOT NULL)
-- {Column:inputCost Want:true}
(input_cost IS NOT NULL)
-- {Column:outputCost Want:true}
(output_cost IS NOT NULL)
-- {Column:totalCost Want:true}
(total_cost IS NOT NULL)
-- {Column:promptVersion Want:true}
(prompt_version != 0)
-- {Column:toolDefinitions Want:true}
(true)
-- {Column:toolCalls Want:true}
(true)
-- {Column:startTime Want:true}
(true)
-- {Column:endTime Want:true}
(toUnixTimestamp64Micro(end_time) != 0)
-- {Column:isRootObservation Want:true}
(true)
-- {Column:hasParentObservation Want:true}
(true)
-- {Column:isExperimentItemRootSpan Want:true}
(true)
-- {Column:metadata Want:true}
(notEmpty(meta_names))
-- {Key:k Want:true}
(indexOf(meta_names, {p0:String}) > 0) = true
  p0 = 'k'
-- {Column:isRootObservation Want:false}
(parent_span_id = '' OR app_root) = false
-- {Column:hasParentObservation Want:false}
(parent_span_id != '') = false
-- {Column:isExperimentItemRootSpan Want:false}
(experiment['item_root_id'] = span_id AND experiment['item_id'] != '') = false
-- {Column:id Want:false}
(NOT (span_id != ''))
-- {Column:traceId Want:false}
(NOT (trace_id != ''))
-- {Column:parentObservationId Want:false}
(NOT (parent_span_id != ''))
-- {Column:type Want:false}
(NOT (type != ''))
-- {Column:name Want:false}
(NOT (name != ''))
-- {Column:level Want:false}
(NOT (level != ''))
-- {Column:statusMessage Want:false}
(NOT (status_message != ''))
-- {Column:environment Want:false}
(NOT (environment != ''))
-- {Column:version Want:false}
(NOT (code_version != ''))
-- {Column:userId Want:false}
((user_id != '' AND NOT (user_id != '')) OR (user_id = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE PROJECT AND user_id.value != '' GROUP BY trace_id HAVING NOT (NOT (min(user_id).value != '')))))
-- {Column:sessionId Want:false}
((session_id != '' AND NOT (session_id != '')) OR (session_id = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE PROJECT AND session_id.value != '' GROUP BY trace_id HAVING NOT (NOT (min(session_id).value != '')))))
-- {Column:traceName Want:false}
((trace_name != '' AND NOT (trace_name != '')) OR (trace_name = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE PROJECT AND name.value != '' GROUP BY trace_id HAVING NOT (NOT (min(name).value != '')))))
-- {Column:release Want:false}
((release != '' AND NOT (release != '')) OR (release = '' AND trace_id NOT IN (SELECT trace_id FROM traces WHERE PROJECT AND release.value != '' GROUP BY trace_id HAVING NOT (NOT (min(release).value != '')))))
-- {Column:model Want:false}
(NOT (model != ''))
-- {Column:modelId Want:false}
(NOT (model_id != ''))
-- {Column:promptName Want:false}
(NOT (prompt_name != ''))
-- {Column:experimentId Want:false}
(NOT (experiment['id'] != ''))
-- {Column:experimentName Want:false}
(NOT (experiment['name'] != ''))
-- {Column:experimentDatasetId Want:false}
(NOT (experiment['dataset_id'] != ''))
-- {Column:tags Want:false}
((notEmpty(tags) AND NOT (notEmpty(tags))) OR (empty(tags) AND trace_id NOT IN (SELECT trace_id FROM traces WHERE PROJECT AND notEmpty(tags.value) GROUP BY trace_id HAVING NOT (NOT (notEmpty(min(tags).value))))))
-- {Column:toolNames Want:false}
(NOT (notEmpty(tool_names)))
-- {Column:calledToolNames Want:false}
(NOT (notEmpty(called_tool_names)))
-- {Column:latency Want:false}
(NOT (toUnixTimestamp64Micro(end_time) != 0))
-- {Column:timeToFirstToken Want:false}
(NOT (toUnixTimestamp64Micro(completion_start_time) != 0))
-- {Column:tokensPerSecond Want:false}
(NOT (toUnixTimestamp64Micro(end_time) != 0 AND intDiv(toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(start_time), 1000) != 0))
-- {Column:inputTokens Want:false}
(NOT (true))
-- {Column:outputTokens Want:false}
(NOT (true))
-- {Column:totalTokens Want:false}
(NOT (total_tokens IS NOT NULL))
-- {Column:inputCost Want:false}
(NOT (input_cost IS NOT NULL))
-- {Column:outputCost Want:false}
(NOT (output_cost IS NOT NULL))
-- {Column:totalCost Want:false}
(NOT (total_cost IS NOT NULL))
-- {Column:promptVersion Want:false}
(NOT (prompt_version != 0))
-- {Column:toolDefinitions Want:false}
(NOT (true))
-- {Column:toolCalls Want:false}
(NOT (true))
-- {Column:startTime Want:false}
(NOT (true))
-- {Column:endTime Want:false}
(NOT (toUnixTimestamp64Micro(end_time) != 0))
-- {Column:isRootObservation Want:false}
(NOT (true))
-- {Column:hasParentObservation Want:false}
(NOT (true))
-- {Column:isExperimentItemRootSpan Want:false}
(NOT (true))
-- {Column:metadata Want:false}
(NOT (notEmpty(meta_names)))
-- {Key:k Want:false}
(indexOf(meta_names, {p0:String}) > 0) = false
  p0 = 'k'
