-- Which person of an OIDC provider is which user. A user is one person of each provider.

-- +goose Up

CREATE TABLE identities (
    issuer     text   NOT NULL,
    subject    text   NOT NULL,
    user_id    text   NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT identities_pk PRIMARY KEY (issuer, subject),
    CONSTRAINT identities_user_uq UNIQUE (user_id, issuer),
    CONSTRAINT identities_user_fk FOREIGN KEY (user_id) REFERENCES users (id)
);

-- Who comes from a provider for the first time may have been invited.
CREATE INDEX invitations_email_idx ON invitations (lower(email));
