-- 0001_observations
-- The spine: every column but the big ones, in the order of newest-first pages.
CREATE TABLE IF NOT EXISTS observations (
  project_id LowCardinality(String),
  trace_id String,
  span_id String,
  parent_span_id String,
  start_time DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
  end_time DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
  completion_start_time DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
  type LowCardinality(String),
  name LowCardinality(String),
  level LowCardinality(String),
  status_message String,
  environment LowCardinality(String),
  code_version LowCardinality(String),
  user_id String,
  session_id String,
  trace_name LowCardinality(String),
  release LowCardinality(String),
  tags Array(LowCardinality(String)),
  bookmarked Bool,
  public Bool,
  app_root Bool,
  model LowCardinality(String),
  model_id LowCardinality(String),
  model_parameters String,
  usage_details Map(LowCardinality(String), UInt64),
  cost_details Map(LowCardinality(String), Decimal(18, 12)),
  input_tokens UInt64,
  output_tokens UInt64,
  total_tokens Nullable(UInt64),
  input_cost Nullable(Decimal(18, 12)),
  output_cost Nullable(Decimal(18, 12)),
  total_cost Nullable(Decimal(18, 12)),
  pricing_tier LowCardinality(String),
  prompt_id LowCardinality(String),
  prompt_name LowCardinality(String),
  prompt_version UInt32,
  meta_names Array(LowCardinality(String)),
  meta_values Array(String),
  meta_types Array(UInt8),
  service_name LowCardinality(String),
  service_version LowCardinality(String),
  scope_name LowCardinality(String),
  scope_version LowCardinality(String),
  sdk_name LowCardinality(String),
  sdk_version LowCardinality(String),
  version UInt64 CODEC(Delta(8), ZSTD(1)),
  INDEX i_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX i_span span_id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX i_user user_id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX i_session session_id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX i_meta arrayMap((k, v) -> concat(k, '=', v), meta_names, meta_values) TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toMonday(start_time)
PRIMARY KEY (project_id, start_time)
ORDER BY (project_id, start_time, xxHash32(trace_id), span_id, trace_id)
SETTINGS default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 10, enable_block_number_column = 1, enable_block_offset_column = 1;

-- Input and output, all of a trace together and in order: that is what makes them small. A block of
-- 2 MiB, as far back as ZSTD(3) looks, holds many turns of a conversation; marks lie closer than blocks
-- so that a row is read without its neighbors.
CREATE TABLE IF NOT EXISTS payloads (
  project_id LowCardinality(String),
  trace_id String,
  start_time DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
  span_id String,
  version UInt64 CODEC(Delta(8), ZSTD(1)),
  input String CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 2097152, max_compress_block_size = 2097152),
  output String CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 2097152, max_compress_block_size = 2097152)
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toDate(start_time)
PRIMARY KEY (project_id, trace_id, start_time)
ORDER BY (project_id, trace_id, start_time, span_id)
SETTINGS index_granularity = 1024, index_granularity_bytes = 1048576, default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 10, enable_block_number_column = 1, enable_block_offset_column = 1;

-- What a trace lends to rows that have no value of their own, and its time range. Each fact is the
-- least (rank, at, span, newer): rank 0 comes from a root, 255 means none; newer falls as the version
-- of the row rises. Taking the least is idempotent and blind to order, so replays change nothing.
CREATE TABLE IF NOT EXISTS traces (
  project_id LowCardinality(String),
  trace_id String,
  first_start SimpleAggregateFunction(min, DateTime64(6, 'UTC')),
  last_start SimpleAggregateFunction(max, DateTime64(6, 'UTC')),
  user_id SimpleAggregateFunction(min, Tuple(rank UInt8, at DateTime64(6, 'UTC'), span String, newer UInt64, value String)),
  session_id SimpleAggregateFunction(min, Tuple(rank UInt8, at DateTime64(6, 'UTC'), span String, newer UInt64, value String)),
  name SimpleAggregateFunction(min, Tuple(rank UInt8, at DateTime64(6, 'UTC'), span String, newer UInt64, value String)),
  release SimpleAggregateFunction(min, Tuple(rank UInt8, at DateTime64(6, 'UTC'), span String, newer UInt64, value String)),
  tags SimpleAggregateFunction(min, Tuple(rank UInt8, at DateTime64(6, 'UTC'), span String, newer UInt64, value Array(String))),
  INDEX i_user user_id.value TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX i_session session_id.value TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = AggregatingMergeTree()
PARTITION BY toYYYYMM(first_start)
ORDER BY (project_id, trace_id)
SETTINGS index_granularity = 512, default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 10, enable_block_number_column = 1, enable_block_offset_column = 1;
-- 0002_partials
-- Where usage and cost come from, tools, experiments, an earlier time of creation, tombstones. Merges
-- pay for a column in every part, used or not: so there are few, an experiment is one map, and none is
-- LowCardinality.

ALTER TABLE observations
  ADD COLUMN IF NOT EXISTS usage_origin String,
  ADD COLUMN IF NOT EXISTS cost_origin String,
  ADD COLUMN IF NOT EXISTS pricing_tier_id String,
  ADD COLUMN IF NOT EXISTS tool_names Array(String),
  ADD COLUMN IF NOT EXISTS called_tool_names Array(String),
  ADD COLUMN IF NOT EXISTS experiment Map(String, String),
  ADD COLUMN IF NOT EXISTS created_at DateTime64(3, 'UTC'),
  ADD COLUMN IF NOT EXISTS deleted Bool;

ALTER TABLE observations ADD INDEX IF NOT EXISTS i_experiment experiment['id'] TYPE bloom_filter(0.01) GRANULARITY 1;

-- Texts that few rows have, by name. They have no large blocks: every stream of a map would hold two in
-- every part that is written, used or not.

ALTER TABLE payloads ADD COLUMN IF NOT EXISTS texts Map(String, Array(String)) CODEC(ZSTD(3));

-- Events that tell a part of an observation, found by entity whatever their time. Partitions follow
-- the time of acceptance, which is ours: a client's clock cannot make many of them, and the oldest
-- can be dropped whole. Versions of one event in two of them fold when they are read.
CREATE TABLE IF NOT EXISTS partials (
  project_id LowCardinality(String),
  trace_id String,
  entity_id String,
  event_time DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
  event_id String,
  kind LowCardinality(String),
  version UInt64 CODEC(Delta(8), ZSTD(1)),
  body String CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(fromUnixTimestamp64Micro(toInt64(intDiv(version, 1024)), 'UTC'))
PRIMARY KEY (project_id, trace_id, entity_id)
ORDER BY (project_id, trace_id, entity_id, event_time, event_id, kind)
SETTINGS index_granularity = 1024, index_granularity_bytes = 1048576, default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 10, enable_block_number_column = 1, enable_block_offset_column = 1;

-- Why something that a client sent is not stored, by the record of the log that carried it.
CREATE TABLE IF NOT EXISTS rejections (
  project_id LowCardinality(String),
  log_partition UInt32,
  sequence UInt64,
  item UInt32,
  trace_id String,
  observation_id String,
  reason String,
  at DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1))
) ENGINE = ReplacingMergeTree()
PARTITION BY toMonday(at)
ORDER BY (project_id, log_partition, sequence, item)
TTL toDateTime(at) + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1, default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 10, enable_block_number_column = 1, enable_block_offset_column = 1;
-- 0003_scores
-- Scores in the order of newest-first pages. What a score is about is found by index.
CREATE TABLE IF NOT EXISTS scores (
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
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(timestamp)
PRIMARY KEY (project_id, timestamp)
ORDER BY (project_id, timestamp, id, trace_id)
SETTINGS default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 10, enable_block_number_column = 1, enable_block_offset_column = 1;

-- What was deleted as a whole: every row of the thing that was accepted before the version is gone,
-- what is accepted later is new. It lies on the shard of the rows it hides.
CREATE TABLE IF NOT EXISTS tombstones (
  project_id LowCardinality(String),
  kind LowCardinality(String),
  id String,
  version UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, kind, id)
SETTINGS index_granularity = 1024, default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 10, enable_block_number_column = 1, enable_block_offset_column = 1;
-- 0004_search
-- Words of input and output. The expression is part of the index: a condition on lower(x) means the same
-- whether a part has the index or not. It is built when parts are merged, not when they are inserted.
ALTER TABLE payloads
  ADD INDEX IF NOT EXISTS t_input lower(input) TYPE text(tokenizer = splitByNonAlpha),
  ADD INDEX IF NOT EXISTS t_output lower(output) TYPE text(tokenizer = splitByNonAlpha);

-- A table partition that got nothing for a day becomes one part, if the engine has nothing else to merge:
-- folding costs next to nothing there, and every text is in the index. A row that comes late has its
-- partition written anew, at most once a day.
ALTER TABLE payloads MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;

ALTER TABLE observations MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
-- 0005_erasure
-- Whether nothing of what a tombstone hides is left on any disk. It is said by inserting the tombstone again:
-- of one version the row that was inserted last stays.

ALTER TABLE tombstones ADD COLUMN IF NOT EXISTS erased Bool;
-- 0006_decisions
-- What evaluation rules did with rows, and why. A decision that is made again replaces the one before.
CREATE TABLE IF NOT EXISTS decisions (
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
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
PRIMARY KEY (project_id, rule_id, start_time)
ORDER BY (project_id, rule_id, start_time, trace_id, span_id, evaluator_id, rule_version)
TTL toDateTime(at) + INTERVAL 90 DAY
SETTINGS ttl_only_drop_parts = 1, default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 10, enable_block_number_column = 1, enable_block_offset_column = 1;

-- Rules look for rows by the time they were accepted, every few seconds. Parts follow that time closely, so that
-- the smallest and the largest version of a few thousand rows are all the index there needs to be.
ALTER TABLE observations ADD INDEX IF NOT EXISTS i_version version TYPE minmax GRANULARITY 1;
