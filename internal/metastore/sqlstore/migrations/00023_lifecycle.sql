-- What the metadata tells a program of who wrote it: the newest version that did, and the oldest that may open it.

-- +goose Up

CREATE TABLE compatibility (
    part       text NOT NULL,
    written_by text NOT NULL,
    oldest     text NOT NULL,
    CONSTRAINT compatibility_pk PRIMARY KEY (part)
);

-- Requests to delete, and what became of them. They outlive the project that they are about: nothing refers to it.

CREATE TABLE erasures (
    id              text   NOT NULL,
    organization    text   NOT NULL,
    about_project   text   NOT NULL,
    kind            text   NOT NULL,
    ids             text   NOT NULL,
    version         bigint NOT NULL,
    actor_kind      text   NOT NULL,
    actor_id        text   NOT NULL,
    actor_name      text   NOT NULL,
    request_id      text   NOT NULL,
    asked_at        bigint NOT NULL,
    finished_at     bigint,
    report          text   NOT NULL,
    CONSTRAINT erasures_pk PRIMARY KEY (id)
);

CREATE INDEX erasures_organization_idx ON erasures (organization, asked_at);
CREATE INDEX erasures_project_idx ON erasures (about_project, asked_at);
