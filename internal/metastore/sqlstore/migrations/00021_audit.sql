-- Who did what. Nothing here refers to other tables: an event outlives what it is about, its project too.

-- +goose Up

CREATE TABLE audit_events (
    id            text   NOT NULL,
    at            bigint NOT NULL,
    organization  text   NOT NULL,
    about_project text   NOT NULL,
    action        text   NOT NULL,
    actor_kind    text   NOT NULL,
    actor_id      text   NOT NULL,
    actor_name    text   NOT NULL,
    object_id     text   NOT NULL,
    object_name   text   NOT NULL,
    detail        text   NOT NULL,
    request_id    text   NOT NULL,
    address       text   NOT NULL,
    CONSTRAINT audit_events_pk PRIMARY KEY (id)
);

CREATE INDEX audit_events_organization_idx ON audit_events (organization, at, id);
CREATE INDEX audit_events_at_idx ON audit_events (at);
