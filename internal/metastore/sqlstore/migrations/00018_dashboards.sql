-- Dashboards. Their tiles are a JSON array, always read and written together. Every change names the
-- revision that it was made from.

-- +goose Up

CREATE TABLE dashboards (
    project_id  text   NOT NULL,
    id          text   NOT NULL,
    name        text   NOT NULL,
    description text   NOT NULL,
    tiles       text   NOT NULL,
    tile_count  bigint NOT NULL,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    revision    bigint NOT NULL,
    CONSTRAINT dashboards_pk PRIMARY KEY (project_id, id),
    CONSTRAINT dashboards_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);
