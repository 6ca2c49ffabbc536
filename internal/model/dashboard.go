package model

import (
	"encoding/json"
	"time"
)

// Dashboard is a page of tiles.
type Dashboard struct {
	ProjectID   string
	ID          string
	Name        string
	Description string
	Tiles       []Tile // nil in lists
	TileCount   int
	CreatedAt   time.Time
	UpdatedAt   time.Time
	Revision    int64 // changes with every change; 0: not stored
}

// Tile is one chart of a dashboard: what it asks of metrics, how it shows the answer, and where it stands in
// a grid of 12 columns.
type Tile struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Kind  TileKind `json:"kind"`
	X     int      `json:"x"`
	Y     int      `json:"y"`
	W     int      `json:"w"`
	H     int      `json:"h"`
	// Query is a metrics query without times: the page that shows it has a range. Empty on a tile of text.
	Query json.RawMessage `json:"query,omitempty"`
	Text  string          `json:"text,omitempty"`
}

// TileKind is how a tile shows what it asks for.
type TileKind string

// The kinds. Their texts are stored and shown: never change one.
const (
	NumberTile    TileKind = "number"
	LineTile      TileKind = "line"
	AreaTile      TileKind = "area"
	BarsTile      TileKind = "bars"     // over time
	BarListTile   TileKind = "bar-list" // one bar per value of a dimension
	HistogramTile TileKind = "histogram"
	HeatMapTile   TileKind = "heat-map" // values of a dimension over time
	TableTile     TileKind = "table"
	TextTile      TileKind = "text"
)

// TileKinds lists every kind.
var TileKinds = []TileKind{NumberTile, LineTile, AreaTile, BarsTile, BarListTile, HistogramTile, HeatMapTile, TableTile, TextTile}
