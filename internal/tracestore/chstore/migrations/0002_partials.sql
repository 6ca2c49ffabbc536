-- Where usage and cost come from, tools, experiments, an earlier time of creation, tombstones. Merges
-- pay for a column in every part, used or not: so there are few, an experiment is one map, and none is
-- LowCardinality.
{{range .Everywhere "observations"}}
ALTER TABLE {{.}}
  ADD COLUMN IF NOT EXISTS usage_origin String,
  ADD COLUMN IF NOT EXISTS cost_origin String,
  ADD COLUMN IF NOT EXISTS pricing_tier_id String,
  ADD COLUMN IF NOT EXISTS tool_names Array(String),
  ADD COLUMN IF NOT EXISTS called_tool_names Array(String),
  ADD COLUMN IF NOT EXISTS experiment Map(String, String),
  ADD COLUMN IF NOT EXISTS created_at DateTime64(3, 'UTC'),
  ADD COLUMN IF NOT EXISTS deleted Bool;
{{end}}
ALTER TABLE {{.Local "observations"}} ADD INDEX IF NOT EXISTS i_experiment experiment['id'] TYPE bloom_filter(0.01) GRANULARITY 1;

-- Texts that few rows have, by name. They have no large blocks: every stream of a map would hold two in
-- every part that is written, used or not.
{{range .Everywhere "payloads"}}
ALTER TABLE {{.}} ADD COLUMN IF NOT EXISTS texts Map(String, Array(String)) CODEC(ZSTD(3));
{{end}}

-- Events that tell a part of an observation, found by entity whatever their time. Partitions follow
-- the time of acceptance, which is ours: a client's clock cannot make many of them, and the oldest
-- can be dropped whole. Versions of one event in two of them fold when they are read.
CREATE TABLE IF NOT EXISTS {{.Local "partials"}} (
  project_id LowCardinality(String),
  trace_id String,
  entity_id String,
  event_time DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
  event_id String,
  kind LowCardinality(String),
  version UInt64 CODEC(Delta(8), ZSTD(1)),
  body String CODEC(ZSTD(1))
) ENGINE = {{.Engine "partials" "ReplacingMergeTree" "version"}}
PARTITION BY toYYYYMM(fromUnixTimestamp64Micro(toInt64(intDiv(version, 1024)), 'UTC'))
PRIMARY KEY (project_id, trace_id, entity_id)
ORDER BY (project_id, trace_id, entity_id, event_time, event_id, kind)
SETTINGS index_granularity = 1024, index_granularity_bytes = 1048576, {{.Settings}};

-- Why something that a client sent is not stored, by the record of the log that carried it.
CREATE TABLE IF NOT EXISTS {{.Local "rejections"}} (
  project_id LowCardinality(String),
  log_partition UInt32,
  sequence UInt64,
  item UInt32,
  trace_id String,
  observation_id String,
  reason String,
  at DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1))
) ENGINE = {{.Engine "rejections" "ReplacingMergeTree" ""}}
PARTITION BY toMonday(at)
ORDER BY (project_id, log_partition, sequence, item)
TTL toDateTime(at) + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1, {{.Settings}};
{{range .Sharded "partials" "xxHash64(trace_id)"}}
CREATE TABLE IF NOT EXISTS {{.Name}} AS {{.Local}} ENGINE = Distributed('{{.Cluster}}', currentDatabase(), '{{.Local}}', {{.By}});
{{end}}
{{range .Sharded "rejections" "sequence"}}
CREATE TABLE IF NOT EXISTS {{.Name}} AS {{.Local}} ENGINE = Distributed('{{.Cluster}}', currentDatabase(), '{{.Local}}', {{.By}});
{{end}}
