-- What is known about media; their bytes are blobs. Ids come from the content's hash, so the same
-- content has the same id in every project, and a row in each. An upload that was announced and
-- did not come yet has no uploaded_at.

-- +goose Up

CREATE TABLE media (
    project_id     text   NOT NULL,
    id             text   NOT NULL,
    sha256         bytea  NOT NULL,
    content_type   text   NOT NULL,
    content_length bigint NOT NULL,
    created_at     bigint NOT NULL,
    uploaded_at    bigint,
    CONSTRAINT media_pk PRIMARY KEY (project_id, id),
    CONSTRAINT media_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

-- Where media are used. What is not given is an empty text, so that the key finds a repetition.
CREATE TABLE media_links (
    project_id      text   NOT NULL,
    media_id        text   NOT NULL,
    trace_id        text   NOT NULL,
    observation_id  text   NOT NULL,
    dataset_id      text   NOT NULL,
    dataset_item_id text   NOT NULL,
    field           text   NOT NULL,
    created_at      bigint NOT NULL,
    CONSTRAINT media_links_pk PRIMARY KEY (project_id, media_id, trace_id, observation_id, dataset_id, dataset_item_id, field),
    CONSTRAINT media_links_media_fk FOREIGN KEY (project_id, media_id) REFERENCES media (project_id, id)
);
