-- Comments, annotation queues, feedback, connections to LLM providers, and the check of the key that sealed
-- their secrets. Lists (score configs, models, header names) are JSON: they are always read and written together.

-- +goose Up

CREATE TABLE comments (
    project_id     text   NOT NULL,
    id             text   NOT NULL,
    object_type    text   NOT NULL,
    object_id      text   NOT NULL,
    content        text   NOT NULL,
    author_user_id text   NOT NULL, -- empty: nobody is named
    created_at     bigint NOT NULL,
    updated_at     bigint NOT NULL,
    CONSTRAINT comments_pk PRIMARY KEY (project_id, id),
    CONSTRAINT comments_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE INDEX comments_by_time ON comments (project_id, created_at);
CREATE INDEX comments_by_object ON comments (project_id, object_type, object_id, created_at);

CREATE TABLE annotation_queues (
    project_id       text   NOT NULL,
    id               text   NOT NULL,
    name             text   NOT NULL,
    description      text   NOT NULL,
    score_config_ids text   NOT NULL,
    created_at       bigint NOT NULL,
    updated_at       bigint NOT NULL,
    CONSTRAINT annotation_queues_pk PRIMARY KEY (project_id, id),
    CONSTRAINT annotation_queues_name_unique UNIQUE (project_id, name),
    CONSTRAINT annotation_queues_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE TABLE annotation_queue_items (
    project_id   text   NOT NULL,
    queue_id     text   NOT NULL,
    id           text   NOT NULL,
    object_type  text   NOT NULL,
    object_id    text   NOT NULL,
    status       text   NOT NULL,
    completed_at bigint,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL,
    CONSTRAINT annotation_queue_items_pk PRIMARY KEY (project_id, id),
    CONSTRAINT annotation_queue_items_queue_fk FOREIGN KEY (project_id, queue_id) REFERENCES annotation_queues (project_id, id)
);

CREATE INDEX annotation_queue_items_by_time ON annotation_queue_items (project_id, queue_id, created_at);

CREATE TABLE annotation_queue_assignments (
    project_id text   NOT NULL,
    queue_id   text   NOT NULL,
    user_id    text   NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT annotation_queue_assignments_pk PRIMARY KEY (project_id, queue_id, user_id),
    CONSTRAINT annotation_queue_assignments_queue_fk FOREIGN KEY (project_id, queue_id) REFERENCES annotation_queues (project_id, id)
);

CREATE TABLE feedback (
    project_id    text   NOT NULL,
    id            text   NOT NULL,
    target_type   text   NOT NULL,
    target        text   NOT NULL,
    feedback      text   NOT NULL,
    goal          text   NOT NULL,
    reference_url text   NOT NULL,
    created_at    bigint NOT NULL,
    CONSTRAINT feedback_pk PRIMARY KEY (project_id, id),
    CONSTRAINT feedback_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE INDEX feedback_by_time ON feedback (project_id, created_at);

CREATE TABLE llm_connections (
    project_id     text    NOT NULL,
    id             text    NOT NULL,
    provider       text    NOT NULL,
    adapter        text    NOT NULL,
    sealed_key     bytea   NOT NULL,
    sealed_headers bytea   NOT NULL,
    display_key    text    NOT NULL,
    header_names   text    NOT NULL,
    base_url       text    NOT NULL,
    models         text    NOT NULL,
    default_models boolean NOT NULL,
    config         text    NOT NULL,
    created_at     bigint  NOT NULL,
    updated_at     bigint  NOT NULL,
    CONSTRAINT llm_connections_pk PRIMARY KEY (project_id, id),
    CONSTRAINT llm_connections_provider_unique UNIQUE (project_id, provider),
    CONSTRAINT llm_connections_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

-- What the first node sealed with its key: another node with another key cannot open it, and says so.
CREATE TABLE key_checks (
    name   text  NOT NULL,
    sealed bytea NOT NULL,
    CONSTRAINT key_checks_pk PRIMARY KEY (name)
);
