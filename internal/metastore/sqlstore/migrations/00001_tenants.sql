-- One text for SQLite and PostgreSQL. Times are microseconds since 1970 in UTC: both
-- databases keep, compare and index them alike, whatever zone a server runs in.
-- Ids are texts, so that imported ones of any form stay what they are.

-- +goose Up

CREATE TABLE organizations (
    id         text   NOT NULL,
    name       text   NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT organizations_pk PRIMARY KEY (id)
);

CREATE TABLE projects (
    id              text   NOT NULL,
    organization_id text   NOT NULL,
    name            text   NOT NULL,
    created_at      bigint NOT NULL,
    CONSTRAINT projects_pk PRIMARY KEY (id),
    CONSTRAINT projects_organization_fk FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

CREATE INDEX projects_organization_idx ON projects (organization_id);

CREATE TABLE api_keys (
    id          text   NOT NULL,
    project_id  text   NOT NULL,
    public_key  text   NOT NULL,
    secret_hash bytea  NOT NULL,
    salt        bytea  NOT NULL,
    display     text   NOT NULL,
    created_at  bigint NOT NULL,
    revoked_at  bigint,
    CONSTRAINT api_keys_pk PRIMARY KEY (id),
    CONSTRAINT api_keys_public_key_uq UNIQUE (public_key),
    CONSTRAINT api_keys_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE INDEX api_keys_project_idx ON api_keys (project_id);

-- Its only row is locked by nodes that want to plant, so that one after the other looks
-- whether there is an organization.
CREATE TABLE planting (
    attempts bigint NOT NULL
);

INSERT INTO planting (attempts) VALUES (0);
