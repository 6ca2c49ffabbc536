-- Model definitions of projects. The built-in ones are part of the program. Tiers are a JSON list
-- with prices as decimal texts: they are always read and written together.

-- +goose Up

CREATE TABLE models (
    project_id       text   NOT NULL,
    id               text   NOT NULL,
    name             text   NOT NULL,
    pattern          text   NOT NULL,
    start_at         bigint,
    unit             text   NOT NULL,
    tokenizer        text   NOT NULL,
    tokenizer_config text   NOT NULL,
    tiers            text   NOT NULL,
    created_at       bigint NOT NULL,
    CONSTRAINT models_pk PRIMARY KEY (project_id, id),
    CONSTRAINT models_name_uq UNIQUE (project_id, name),
    CONSTRAINT models_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);
