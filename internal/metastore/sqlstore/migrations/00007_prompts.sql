-- Prompts: versions by name, the labels that point to them, the tags of a name. What conditions look at
-- besides lies folded or apart, so that both databases compare alike: the bytes of the name for the order
-- of lists, its folded form, and the values of the top level of a config.
--
-- A writer locks the row of its project in prompt_changes first and takes the next revision last, so that
-- revisions become visible in their order.

-- +goose Up

CREATE TABLE prompts (
    project_id  text  NOT NULL,
    name        text  NOT NULL,
    name_order  bytea NOT NULL,
    name_folded text  NOT NULL,
    type        text  NOT NULL,
    CONSTRAINT prompts_pk PRIMARY KEY (project_id, name),
    CONSTRAINT prompts_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE INDEX prompts_order ON prompts (project_id, name_order);

CREATE TABLE prompt_versions (
    project_id     text   NOT NULL,
    name           text   NOT NULL,
    version        bigint NOT NULL,
    id             text   NOT NULL,
    content        text   NOT NULL,
    config         text   NOT NULL,
    commit_message text   NOT NULL,
    created_by     text   NOT NULL,
    created_at     bigint NOT NULL,
    updated_at     bigint NOT NULL,
    CONSTRAINT prompt_versions_pk PRIMARY KEY (project_id, name, version),
    CONSTRAINT prompt_versions_id UNIQUE (project_id, id),
    CONSTRAINT prompt_versions_prompt_fk FOREIGN KEY (project_id, name) REFERENCES prompts (project_id, name) ON DELETE CASCADE
);

CREATE TABLE prompt_labels (
    project_id text   NOT NULL,
    name       text   NOT NULL,
    label      text   NOT NULL,
    version    bigint NOT NULL,
    position   bigint NOT NULL,
    CONSTRAINT prompt_labels_pk PRIMARY KEY (project_id, name, label),
    CONSTRAINT prompt_labels_version_fk FOREIGN KEY (project_id, name, version) REFERENCES prompt_versions (project_id, name, version) ON DELETE CASCADE
);

CREATE INDEX prompt_labels_version ON prompt_labels (project_id, name, version);

CREATE TABLE prompt_tags (
    project_id text   NOT NULL,
    name       text   NOT NULL,
    tag        text   NOT NULL,
    position   bigint NOT NULL,
    CONSTRAINT prompt_tags_pk PRIMARY KEY (project_id, name, tag),
    CONSTRAINT prompt_tags_prompt_fk FOREIGN KEY (project_id, name) REFERENCES prompts (project_id, name) ON DELETE CASCADE
);

CREATE TABLE prompt_includes (
    project_id    text   NOT NULL,
    name          text   NOT NULL,
    version       bigint NOT NULL,
    position      bigint NOT NULL,
    child_name    text   NOT NULL,
    child_version bigint NOT NULL,
    child_label   text   NOT NULL,
    CONSTRAINT prompt_includes_pk PRIMARY KEY (project_id, name, version, position),
    CONSTRAINT prompt_includes_version_fk FOREIGN KEY (project_id, name, version) REFERENCES prompt_versions (project_id, name, version) ON DELETE CASCADE
);

CREATE INDEX prompt_includes_child ON prompt_includes (project_id, child_name);

CREATE TABLE prompt_config (
    project_id text   NOT NULL,
    name       text   NOT NULL,
    version    bigint NOT NULL,
    position   bigint NOT NULL,
    key        text   NOT NULL,
    value      text   NOT NULL,
    folded     text   NOT NULL,
    CONSTRAINT prompt_config_pk PRIMARY KEY (project_id, name, version, position),
    CONSTRAINT prompt_config_version_fk FOREIGN KEY (project_id, name, version) REFERENCES prompt_versions (project_id, name, version) ON DELETE CASCADE
);

CREATE TABLE prompt_changes (
    project_id text   NOT NULL,
    revision   bigint NOT NULL,
    CONSTRAINT prompt_changes_pk PRIMARY KEY (project_id),
    CONSTRAINT prompt_changes_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE INDEX prompt_changes_revision ON prompt_changes (revision);

CREATE TABLE prompt_revision (
    revision bigint NOT NULL
);

INSERT INTO prompt_revision (revision) VALUES (0);
