-- Evaluators say how rows are scored, rules which rows are. Definitions, filters and mappings are JSON texts, always
-- read and written together. "paused_at" is 0 for never, "until_us" and "held_until" are times of rows and of a hold.

-- +goose Up

CREATE TABLE evaluators (
    project_id     text    NOT NULL,
    id             text    NOT NULL,
    name           text    NOT NULL,
    description    text    NOT NULL,
    kind           text    NOT NULL,
    created_by     text    NOT NULL, -- empty: a key made it
    created_at     bigint  NOT NULL,
    updated_at     bigint  NOT NULL,
    paused_at      bigint  NOT NULL,
    paused_reason  text    NOT NULL,
    paused_message text    NOT NULL,
    latest         integer NOT NULL, -- number of the newest version
    revision       bigint  NOT NULL,
    CONSTRAINT evaluators_pk PRIMARY KEY (project_id, id),
    CONSTRAINT evaluators_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE INDEX evaluators_by_time ON evaluators (project_id, created_at);

CREATE TABLE evaluator_versions (
    project_id   text    NOT NULL,
    evaluator_id text    NOT NULL,
    number       integer NOT NULL,
    id           text    NOT NULL,
    definition   text    NOT NULL,
    created_by   text    NOT NULL,
    created_at   bigint  NOT NULL,
    CONSTRAINT evaluator_versions_pk PRIMARY KEY (project_id, evaluator_id, number),
    CONSTRAINT evaluator_versions_evaluator_fk FOREIGN KEY (project_id, evaluator_id) REFERENCES evaluators (project_id, id)
);

CREATE TABLE evaluation_rules (
    project_id   text    NOT NULL,
    id           text    NOT NULL,
    name         text    NOT NULL,
    enabled      boolean NOT NULL,
    sampling     text    NOT NULL, -- a decimal number, exactly as it came
    filter       text    NOT NULL,
    runs_per_day bigint  NOT NULL, -- 0: no bound
    cost_per_day text    NOT NULL, -- empty: no bound
    created_by   text    NOT NULL,
    created_at   bigint  NOT NULL,
    updated_at   bigint  NOT NULL,
    version      integer NOT NULL,
    until_us     bigint  NOT NULL,
    holder       text    NOT NULL,
    held_until   bigint  NOT NULL,
    CONSTRAINT evaluation_rules_pk PRIMARY KEY (project_id, id),
    CONSTRAINT evaluation_rules_project_fk FOREIGN KEY (project_id) REFERENCES projects (id)
);

CREATE INDEX evaluation_rules_by_time ON evaluation_rules (project_id, created_at);

CREATE TABLE evaluation_rule_evaluators (
    project_id   text    NOT NULL,
    rule_id      text    NOT NULL,
    position     integer NOT NULL,
    evaluator_id text    NOT NULL,
    mapping      text    NOT NULL, -- empty: the evaluator's own
    CONSTRAINT evaluation_rule_evaluators_pk PRIMARY KEY (project_id, rule_id, position),
    CONSTRAINT evaluation_rule_evaluators_rule_fk FOREIGN KEY (project_id, rule_id) REFERENCES evaluation_rules (project_id, id),
    CONSTRAINT evaluation_rule_evaluators_evaluator_fk FOREIGN KEY (project_id, evaluator_id) REFERENCES evaluators (project_id, id)
);

CREATE INDEX evaluation_rule_evaluators_by_evaluator ON evaluation_rule_evaluators (project_id, evaluator_id);
