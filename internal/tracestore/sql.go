package tracestore

import "context"

// MaxSQL is how long a query that people write may be, in bytes.
const MaxSQL = 32 << 10

// SQL answers queries that people write, over the rows of one project.
//
// Promise: whatever the text is, it shows and changes nothing of other projects, nothing of the server, and ends within bounds of
// time, memory, rows and result.
type SQL interface {
	// Query calls each with every row of the result as a JSON object, in the order of the result and with columns in theirs. A text
	// that cannot be run is fault.Invalid, with what is wrong with it; one that is too expensive is ErrTooExpensive.
	Query(ctx context.Context, projectID, text string, each func(row []byte) error) error
}
