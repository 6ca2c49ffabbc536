-- Attempts to prove something, such as a password, by the hash of who tries: how many, when the last one was, and from
-- when on there may be another.

-- +goose Up

CREATE TABLE attempts (
    subject text   NOT NULL,
    count   bigint NOT NULL,
    last_at bigint NOT NULL,
    open_at bigint NOT NULL,
    CONSTRAINT attempts_pk PRIMARY KEY (subject)
);

CREATE INDEX attempts_last_idx ON attempts (last_at);

-- The secret that a key had before it got another, which is good for a while beside the new one.

ALTER TABLE access_keys ADD COLUMN old_secret_hash bytea;
ALTER TABLE access_keys ADD COLUMN old_salt bytea;
ALTER TABLE access_keys ADD COLUMN old_until bigint;
