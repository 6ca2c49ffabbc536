-- What belongs to whom beyond keys of projects: keys of organizations, users and their roles.
-- Metadata is a JSON object as a text, '' when there is none: it is always read and written whole.

-- +goose Up

ALTER TABLE organizations ADD COLUMN metadata text NOT NULL DEFAULT '';
ALTER TABLE organizations ADD COLUMN updated_at bigint NOT NULL DEFAULT 0;
UPDATE organizations SET updated_at = created_at;

ALTER TABLE projects ADD COLUMN metadata text NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN retention_days bigint NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN payload_days bigint NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN updated_at bigint NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN erasing_at bigint;
UPDATE projects SET updated_at = created_at;

-- A project that is being erased leaves its name to others.
CREATE UNIQUE INDEX projects_name_uq ON projects (organization_id, name) WHERE erasing_at IS NULL AND name <> '';

-- Takes the place of api_keys, whose project was required, which only one of our databases could change.
-- A key without a project is one of the organization.
CREATE TABLE access_keys (
    id              text   NOT NULL,
    organization_id text   NOT NULL,
    project_id      text,
    public_key      text   NOT NULL,
    secret_hash     bytea  NOT NULL,
    salt            bytea  NOT NULL,
    display         text   NOT NULL,
    scope           text   NOT NULL,
    name            text   NOT NULL,
    created_at      bigint NOT NULL,
    expires_at      bigint,
    last_used_at    bigint,
    revoked_at      bigint,
    CONSTRAINT access_keys_pk PRIMARY KEY (id),
    CONSTRAINT access_keys_public_key_uq UNIQUE (public_key),
    CONSTRAINT access_keys_organization_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
    CONSTRAINT access_keys_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

INSERT INTO access_keys (id, organization_id, project_id, public_key, secret_hash, salt, display, scope, name, created_at, revoked_at)
SELECT k.id, p.organization_id, k.project_id, k.public_key, k.secret_hash, k.salt, k.display, 'all', '', k.created_at, k.revoked_at
FROM api_keys k JOIN projects p ON p.id = k.project_id;

DROP TABLE api_keys;

CREATE INDEX access_keys_owner_idx ON access_keys (organization_id, project_id);
CREATE INDEX access_keys_project_idx ON access_keys (project_id);

-- address is the email in the form in which it is compared.
CREATE TABLE users (
    id         text   NOT NULL,
    email      text   NOT NULL,
    address    text   NOT NULL,
    name       text   NOT NULL,
    password   text   NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT users_pk PRIMARY KEY (id),
    CONSTRAINT users_address_uq UNIQUE (address)
);

CREATE TABLE organization_members (
    organization_id text    NOT NULL,
    user_id         text    NOT NULL,
    role            text    NOT NULL,
    active          boolean NOT NULL,
    created_at      bigint  NOT NULL,
    updated_at      bigint  NOT NULL,
    CONSTRAINT organization_members_pk PRIMARY KEY (organization_id, user_id),
    CONSTRAINT organization_members_organization_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
    CONSTRAINT organization_members_user_fk FOREIGN KEY (user_id) REFERENCES users (id)
);

CREATE INDEX organization_members_user_idx ON organization_members (user_id);

-- A role in one project beside, and instead of, the one in its organization.
CREATE TABLE project_members (
    project_id      text   NOT NULL,
    user_id         text   NOT NULL,
    organization_id text   NOT NULL,
    role            text   NOT NULL,
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL,
    CONSTRAINT project_members_pk PRIMARY KEY (project_id, user_id),
    CONSTRAINT project_members_project_fk FOREIGN KEY (project_id) REFERENCES projects (id),
    CONSTRAINT project_members_member_fk FOREIGN KEY (organization_id, user_id) REFERENCES organization_members (organization_id, user_id)
);

CREATE INDEX project_members_member_idx ON project_members (organization_id, user_id);
