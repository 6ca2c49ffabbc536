package model

import "time"

// ScoreConfig is a rule of a project for scores of one name: their type and which values they may have.
type ScoreConfig struct {
	ProjectID   string
	ID          string
	Name        string
	Type        ScoreType // never Correction
	Archived    bool      // takes no scores any more; those that are there stay
	Description string
	// Min and Max bound NUMERIC values, both included; nil: no bound.
	Min, Max *float64
	// Categories are the values that CATEGORICAL scores may have, and True and False of BOOLEAN ones.
	Categories []ScoreCategory
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// ScoreCategory is a category with the number that stands for it.
type ScoreCategory struct {
	Label string  `json:"label"`
	Value float64 `json:"value"`
}
