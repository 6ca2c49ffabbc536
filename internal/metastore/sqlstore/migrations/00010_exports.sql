-- Scheduled exports to blob storage, one per project. The settings are a JSON object, always read and
-- written together; the secret is sealed. "until_us", "last_sync_at" and "last_error_at" are 0 for never.
-- Every change names the revision that it was made from.

-- +goose Up

CREATE TABLE exports (
    project_id    text    NOT NULL,
    id            text    NOT NULL,
    enabled       boolean NOT NULL,
    settings      text    NOT NULL,
    sealed_secret bytea   NOT NULL,
    until_us      bigint  NOT NULL,
    progress      text    NOT NULL,
    last_sync_at  bigint  NOT NULL,
    last_error    text    NOT NULL,
    last_error_at bigint  NOT NULL,
    created_at    bigint  NOT NULL,
    updated_at    bigint  NOT NULL,
    revision      bigint  NOT NULL,
    CONSTRAINT exports_pk PRIMARY KEY (project_id),
    CONSTRAINT exports_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);
