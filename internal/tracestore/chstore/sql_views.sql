CREATE OR REPLACE VIEW {{.Views}}.observations DEFINER = {{.Definer}} SQL SECURITY DEFINER AS
SELECT span_id AS id, trace_id, parent_span_id AS parent_id, start_time, end_time,
  nullIf(completion_start_time, fromUnixTimestamp64Micro(0, 'UTC')) AS completion_start_time,
  type, name, level, status_message, environment, code_version, user_id, session_id, trace_name, release, tags,
  model, model_parameters, usage_details, cost_details, input_tokens, output_tokens, total_tokens, input_cost, output_cost, total_cost,
  prompt_name, prompt_version, mapFromArrays(CAST(meta_names, 'Array(String)'), meta_values) AS metadata,
  tool_names, called_tool_names, experiment['id'] AS experiment_id, experiment['name'] AS experiment_name,
  service_name, sdk_name, sdk_version, bookmarked, public
FROM {{.Tables}}.observations FINAL
WHERE NOT deleted AND {{.AliveTrace}};

CREATE OR REPLACE VIEW {{.Views}}.texts DEFINER = {{.Definer}} SQL SECURITY DEFINER AS
SELECT span_id AS id, trace_id, start_time, input, output
FROM {{.Tables}}.payloads FINAL
WHERE {{.AliveTrace}};

CREATE OR REPLACE VIEW {{.Views}}.scores DEFINER = {{.Definer}} SQL SECURITY DEFINER AS
SELECT id, timestamp, name, data_type, source, number_value, text_value, trace_id, observation_id, session_id, experiment_id,
  environment, comment, author_user_id, mapFromArrays(CAST(meta_names, 'Array(String)'), meta_values) AS metadata, created_at
FROM {{.Tables}}.scores FINAL
WHERE NOT deleted AND {{.AliveTrace}} AND {{.AliveScore}};

CREATE OR REPLACE VIEW {{.Views}}.traces SQL SECURITY INVOKER AS
SELECT o.trace_id AS id, min(o.start_time) AS start_time, max(o.end_time) AS end_time, count() AS observations,
  argMinIf(o.name, o.start_time, o.parent_id = '') AS root_name, anyIf(o.user_id, o.user_id != '') AS user_id, anyIf(o.session_id, o.session_id != '') AS session_id,
  countIf(o.level = 'ERROR') AS errors, sum(o.input_tokens) AS input_tokens, sum(o.output_tokens) AS output_tokens, sum(o.total_cost) AS total_cost,
  arrayDistinct(groupArrayArray(o.tags)) AS tags
FROM {{.Views}}.observations AS o
GROUP BY o.trace_id
