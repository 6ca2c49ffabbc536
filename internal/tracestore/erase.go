package tracestore

import "context"

// Eraser removes for good what tombstones hide. A tombstone itself stays: whatever brings the rows back, such as
// a restored backup, brings them back hidden.
//
// Promises:
//   - When Erase returns nil, no file of the store holds a row that was there when it was called and that one of
//     the tombstones hides, nor what such rows gave to their trace: not in tables, indexes, replaced parts or
//     parts being replaced. What a trace lends afterwards is what its visible rows give.
//   - Doing it again, or on top of an erasure that was interrupted at any point, is the same as doing it once.
//   - Rows that are not hidden stay as they are, readable all the time.
//   - A tombstone is unerased from its insertion until MarkErased names it with its version.
type Eraser interface {
	// Unerased lists tombstones of a project that are not marked as erased, oldest first, at most limit.
	Unerased(ctx context.Context, projectID string, limit int) ([]Tombstone, error)
	// UnerasedProjects lists the projects that have such tombstones, at most limit of them.
	UnerasedProjects(ctx context.Context, limit int) ([]string, error)
	// Erase works as long as it takes or ctx lasts. All tombstones are of one project. A fault of kind
	// Unavailable says what it waits for.
	Erase(ctx context.Context, projectID string, tombstones []Tombstone) error
	// Hidden counts the rows that the tombstones hide and that are still there, by table, versions of one row included. After
	// Erase there are none.
	Hidden(ctx context.Context, projectID string, tombstones []Tombstone) (map[string]uint64, error)
	// MarkErased notes durably that nothing is left of what the tombstones hide.
	MarkErased(ctx context.Context, tombstones []Tombstone) error
}
