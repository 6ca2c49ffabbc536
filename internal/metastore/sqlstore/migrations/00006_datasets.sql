-- Datasets, their items with all versions, and run items.
--
-- A version of an item lasts from valid_from to valid_to, which is null for the current one; the
-- partial index holds that there is one at most. Times are microseconds. A deleted item has a last
-- version that says so. Texts that a client left out are empty.
--
-- A run item is looked for in the trace store when it is due, and not any more when due_at is null.

-- +goose Up

CREATE TABLE datasets (
    project_id             text   NOT NULL,
    id                     text   NOT NULL,
    name                   text   NOT NULL,
    description            text   NOT NULL,
    metadata               text   NOT NULL,
    input_schema           text   NOT NULL,
    expected_output_schema text   NOT NULL,
    created_at             bigint NOT NULL,
    updated_at             bigint NOT NULL,
    item_writes            bigint NOT NULL,
    CONSTRAINT datasets_pk PRIMARY KEY (project_id, id),
    CONSTRAINT datasets_name UNIQUE (project_id, name),
    CONSTRAINT datasets_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE TABLE dataset_items (
    project_id            text    NOT NULL,
    id                    text    NOT NULL,
    dataset_id            text    NOT NULL,
    valid_from            bigint  NOT NULL,
    valid_to              bigint,
    deleted               boolean NOT NULL,
    status                text    NOT NULL,
    input                 text    NOT NULL,
    expected_output       text    NOT NULL,
    metadata              text    NOT NULL,
    source_trace_id       text    NOT NULL,
    source_observation_id text    NOT NULL,
    created_at            bigint  NOT NULL,
    CONSTRAINT dataset_items_pk PRIMARY KEY (project_id, id, valid_from),
    CONSTRAINT dataset_items_dataset_fk FOREIGN KEY (project_id, dataset_id) REFERENCES datasets (project_id, id)
);

CREATE UNIQUE INDEX dataset_items_current ON dataset_items (project_id, id) WHERE valid_to IS NULL;
CREATE INDEX dataset_items_by_dataset ON dataset_items (project_id, dataset_id, valid_from);
CREATE INDEX dataset_items_by_source ON dataset_items (project_id, source_trace_id) WHERE source_trace_id <> '';

CREATE TABLE dataset_run_items (
    project_id     text   NOT NULL,
    id             text   NOT NULL,
    dataset_id     text   NOT NULL,
    run_name       text   NOT NULL,
    description    text   NOT NULL,
    metadata       text   NOT NULL,
    item_id        text   NOT NULL,
    item_version   bigint NOT NULL,
    trace_id       text   NOT NULL,
    observation_id text   NOT NULL,
    created_at     bigint NOT NULL,
    due_at         bigint,
    CONSTRAINT dataset_run_items_pk PRIMARY KEY (project_id, id),
    CONSTRAINT dataset_run_items_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE INDEX dataset_run_items_due ON dataset_run_items (due_at) WHERE due_at IS NOT NULL;
