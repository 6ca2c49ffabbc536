-- Whether nothing of what a tombstone hides is left on any disk. It is said by inserting the tombstone again:
-- of one version the row that was inserted last stays.
{{range .Everywhere "tombstones"}}
ALTER TABLE {{.}} ADD COLUMN IF NOT EXISTS erased Bool;
{{end}}
