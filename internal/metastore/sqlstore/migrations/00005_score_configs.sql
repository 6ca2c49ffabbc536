-- Score configs: which values the scores of a name may have. They are never deleted, because scores
-- name them; one that is archived takes no scores any more. Categories are a JSON list, "null" when
-- there are none: they are always read and written together.

-- +goose Up

CREATE TABLE score_configs (
    project_id  text    NOT NULL,
    id          text    NOT NULL,
    name        text    NOT NULL,
    data_type   text    NOT NULL,
    archived    boolean NOT NULL,
    description text    NOT NULL,
    min_value   double precision,
    max_value   double precision,
    categories  text    NOT NULL,
    created_at  bigint  NOT NULL,
    updated_at  bigint  NOT NULL,
    CONSTRAINT score_configs_pk PRIMARY KEY (project_id, id),
    CONSTRAINT score_configs_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);
