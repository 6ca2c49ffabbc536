-- Saved views: names for the search parameters of lists.

-- +goose Up

CREATE TABLE saved_views (
    project_id text    NOT NULL,
    id         text    NOT NULL,
    table_name text    NOT NULL,
    name       text    NOT NULL,
    owner_id   text    NOT NULL, -- empty: a key made it
    shared     boolean NOT NULL,
    is_default boolean NOT NULL,
    state      text    NOT NULL,
    created_at bigint  NOT NULL,
    updated_at bigint  NOT NULL,
    CONSTRAINT saved_views_pk PRIMARY KEY (project_id, id),
    CONSTRAINT saved_views_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE INDEX saved_views_by_time ON saved_views (project_id, table_name, created_at);
