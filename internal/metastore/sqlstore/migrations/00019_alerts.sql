-- Alerts, their history, and the messages about it. Settings are a JSON object, always read and written together.
-- A change of state and its messages are written in one transaction; messages stay pending until they are delivered
-- or given up. "muted_until", "evaluated_at" and "since" are 0 for never.

-- +goose Up

CREATE TABLE alert_targets (
    project_id text   NOT NULL,
    id         text   NOT NULL,
    name       text   NOT NULL,
    kind       text   NOT NULL,
    display    text   NOT NULL,
    sealed     bytea  NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT alert_targets_pk PRIMARY KEY (project_id, id),
    CONSTRAINT alert_targets_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE TABLE alerts (
    project_id   text    NOT NULL,
    id           text    NOT NULL,
    enabled      boolean NOT NULL,
    settings     text    NOT NULL,
    muted_until  bigint  NOT NULL,
    state        text    NOT NULL,
    since        bigint  NOT NULL,
    told         text    NOT NULL,
    value        text    NOT NULL,
    reason       text    NOT NULL,
    evaluated_at bigint  NOT NULL,
    next_at      bigint  NOT NULL,
    created_at   bigint  NOT NULL,
    updated_at   bigint  NOT NULL,
    revision     bigint  NOT NULL,
    CONSTRAINT alerts_pk PRIMARY KEY (project_id, id),
    CONSTRAINT alerts_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE INDEX alerts_due ON alerts (enabled, next_at);

CREATE TABLE alert_changes (
    project_id text    NOT NULL,
    alert_id   text    NOT NULL,
    id         text    NOT NULL,
    at         bigint  NOT NULL,
    from_state text    NOT NULL,
    to_state   text    NOT NULL,
    value      text    NOT NULL,
    reason     text    NOT NULL,
    muted      boolean NOT NULL,
    CONSTRAINT alert_changes_pk PRIMARY KEY (project_id, alert_id, id),
    CONSTRAINT alert_changes_alert_fk FOREIGN KEY (project_id, alert_id) REFERENCES alerts (project_id, id)
);

CREATE TABLE alert_deliveries (
    project_id text   NOT NULL,
    id         text   NOT NULL,
    alert_id   text   NOT NULL,
    change_id  text   NOT NULL,
    target_id  text   NOT NULL,
    state      text   NOT NULL,
    message    text   NOT NULL,
    attempts   bigint NOT NULL,
    next_at    bigint NOT NULL,
    last_error text   NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT alert_deliveries_pk PRIMARY KEY (project_id, id),
    CONSTRAINT alert_deliveries_alert_fk FOREIGN KEY (project_id, alert_id) REFERENCES alerts (project_id, id)
);

CREATE INDEX alert_deliveries_due ON alert_deliveries (state, next_at);
CREATE INDEX alert_deliveries_by_change ON alert_deliveries (project_id, alert_id, change_id);
