-- Scores in the order of newest-first pages. What a score is about is found by index.
CREATE TABLE IF NOT EXISTS {{.Local "scores"}} (
  project_id LowCardinality(String),
  id String,
  timestamp DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
  name LowCardinality(String),
  data_type LowCardinality(String),
  source LowCardinality(String),
  number_value Float64,
  text_value String,
  trace_id String,
  observation_id String,
  session_id String,
  experiment_id String,
  environment LowCardinality(String),
  comment String,
  config_id String,
  queue_id String,
  author_user_id String,
  execution_trace_id String,
  meta_names Array(LowCardinality(String)),
  meta_values Array(String),
  meta_types Array(UInt8),
  created_at DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
  version UInt64 CODEC(Delta(8), ZSTD(1)),
  deleted Bool,
  INDEX i_id id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX i_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX i_session session_id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX i_experiment experiment_id TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = {{.Engine "scores" "ReplacingMergeTree" "version"}}
PARTITION BY toYYYYMM(timestamp)
PRIMARY KEY (project_id, timestamp)
ORDER BY (project_id, timestamp, id, trace_id)
SETTINGS {{.Settings}};

-- What was deleted as a whole: every row of the thing that was accepted before the version is gone,
-- what is accepted later is new. It lies on the shard of the rows it hides.
CREATE TABLE IF NOT EXISTS {{.Local "tombstones"}} (
  project_id LowCardinality(String),
  kind LowCardinality(String),
  id String,
  version UInt64
) ENGINE = {{.Engine "tombstones" "ReplacingMergeTree" "version"}}
ORDER BY (project_id, kind, id)
SETTINGS index_granularity = 1024, {{.Settings}};
{{range .Sharded "scores" "xxHash64(trace_id)"}}
CREATE TABLE IF NOT EXISTS {{.Name}} AS {{.Local}} ENGINE = Distributed('{{.Cluster}}', currentDatabase(), '{{.Local}}', {{.By}});
{{end}}
{{range .Sharded "tombstones" "xxHash64(id)"}}
CREATE TABLE IF NOT EXISTS {{.Name}} AS {{.Local}} ENGINE = Distributed('{{.Cluster}}', currentDatabase(), '{{.Local}}', {{.By}});
{{end}}
