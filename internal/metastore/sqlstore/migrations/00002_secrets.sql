-- Random bytes that all nodes share. Whoever asks first for a name makes its secret.

-- +goose Up

CREATE TABLE secrets (
    name   text  NOT NULL,
    secret bytea NOT NULL,
    CONSTRAINT secrets_pk PRIMARY KEY (name)
);
