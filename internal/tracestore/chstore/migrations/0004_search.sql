-- Words of input and output. The expression is part of the index: a condition on lower(x) means the same
-- whether a part has the index or not. It is built when parts are merged, not when they are inserted.
ALTER TABLE {{.Local "payloads"}}
  ADD INDEX IF NOT EXISTS t_input lower(input) TYPE text(tokenizer = splitByNonAlpha),
  ADD INDEX IF NOT EXISTS t_output lower(output) TYPE text(tokenizer = splitByNonAlpha);

-- A table partition that got nothing for a day becomes one part, if the engine has nothing else to merge:
-- folding costs next to nothing there, and every text is in the index. A row that comes late has its
-- partition written anew, at most once a day.
ALTER TABLE {{.Local "payloads"}} MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
ALTER TABLE {{.Local "observations"}} MODIFY SETTING min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1;
