-- People who have signed in, and those who are invited. Of tokens only the hash is kept.

-- +goose Up

ALTER TABLE users ADD COLUMN preferences text NOT NULL DEFAULT '';

CREATE TABLE sessions (
    token_hash bytea  NOT NULL,
    user_id    text   NOT NULL,
    created_at bigint NOT NULL,
    seen_at    bigint NOT NULL,
    CONSTRAINT sessions_pk PRIMARY KEY (token_hash),
    CONSTRAINT sessions_user_fk FOREIGN KEY (user_id) REFERENCES users (id)
);

CREATE INDEX sessions_user_idx ON sessions (user_id);

CREATE TABLE invitations (
    id              text   NOT NULL,
    organization_id text   NOT NULL,
    email           text   NOT NULL,
    role            text   NOT NULL,
    invited_by      text   NOT NULL,
    token_hash      bytea  NOT NULL,
    created_at      bigint NOT NULL,
    expires_at      bigint NOT NULL,
    CONSTRAINT invitations_pk PRIMARY KEY (id),
    CONSTRAINT invitations_token_uq UNIQUE (token_hash),
    CONSTRAINT invitations_organization_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
    CONSTRAINT invitations_user_fk FOREIGN KEY (invited_by) REFERENCES users (id)
);

CREATE INDEX invitations_organization_idx ON invitations (organization_id, expires_at);
