-- What evaluation rules did with rows, and why. A decision that is made again replaces the one before.
CREATE TABLE IF NOT EXISTS {{.Local "decisions"}} (
  project_id LowCardinality(String),
  rule_id LowCardinality(String),
  rule_version UInt32,
  trace_id String,
  span_id String,
  start_time DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
  evaluator_id LowCardinality(String),
  evaluator_version UInt32,
  outcome LowCardinality(String),
  reason LowCardinality(String),
  message String CODEC(ZSTD(1)),
  score_ids Array(String),
  cost Nullable(Decimal(18, 12)),
  duration_us UInt64,
  job_id LowCardinality(String),
  at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
  version UInt64 CODEC(Delta(8), ZSTD(1)),
  INDEX i_at at TYPE minmax GRANULARITY 1
) ENGINE = {{.Engine "decisions" "ReplacingMergeTree" "version"}}
PARTITION BY toYYYYMM(at)
PRIMARY KEY (project_id, rule_id, start_time)
ORDER BY (project_id, rule_id, start_time, trace_id, span_id, evaluator_id, rule_version)
TTL toDateTime(at) + INTERVAL 90 DAY
SETTINGS ttl_only_drop_parts = 1, {{.Settings}};
{{range .Sharded "decisions" "xxHash64(trace_id)"}}
CREATE TABLE IF NOT EXISTS {{.Name}} AS {{.Local}} ENGINE = Distributed('{{.Cluster}}', currentDatabase(), '{{.Local}}', {{.By}});
{{end}}

-- Rules look for rows by the time they were accepted, every few seconds. Parts follow that time closely, so that
-- the smallest and the largest version of a few thousand rows are all the index there needs to be.
ALTER TABLE {{.Local "observations"}} ADD INDEX IF NOT EXISTS i_version version TYPE minmax GRANULARITY 1;
