-- +goose Up
-- Links are deleted with their trace.
CREATE INDEX media_links_by_trace ON media_links (project_id, trace_id);
