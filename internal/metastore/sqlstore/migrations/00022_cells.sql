-- Which cell serves a project. '' is the cell without a name, which everybody has who has one cell.

-- +goose Up

ALTER TABLE projects ADD COLUMN cell text NOT NULL DEFAULT '';
-- '' while it stays, 'copying' on its way to move_cell, 'switched' while move_cell still has rows of it.
ALTER TABLE projects ADD COLUMN move_phase text NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN move_cell text NOT NULL DEFAULT '';
-- Until when nobody may write to it.
ALTER TABLE projects ADD COLUMN held_until bigint;
