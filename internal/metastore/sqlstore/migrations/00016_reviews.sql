-- Several people review one queue: who holds which item until when, and what they noted before it is completed.

-- +goose Up

ALTER TABLE annotation_queue_items ADD COLUMN completed_by text NOT NULL DEFAULT '';
ALTER TABLE annotation_queue_items ADD COLUMN held_by text NOT NULL DEFAULT ''; -- empty: nobody
ALTER TABLE annotation_queue_items ADD COLUMN held_until bigint;

CREATE INDEX annotation_queue_items_by_status ON annotation_queue_items (project_id, queue_id, status, created_at, id);

CREATE TABLE annotation_drafts (
    project_id text   NOT NULL,
    item_id    text   NOT NULL,
    user_id    text   NOT NULL,
    draft      text   NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT annotation_drafts_pk PRIMARY KEY (project_id, item_id, user_id),
    CONSTRAINT annotation_drafts_item_fk FOREIGN KEY (project_id, item_id) REFERENCES annotation_queue_items (project_id, id)
);
