// Package live is the port for news: what happens in a project at this moment, told to whoever
// listens on any node. News are told at most once and kept nowhere; what must not be lost is in the
// log or in a store. Beside the port it has what gathers news (Reporter) and remembers the newest
// ingest requests of each project.
package live

import (
	"context"
	"time"
)

// Installation is who listens to news that belong to no project. No project has this id.
const Installation = ""

// HeardFor is how long a project counts as heard after the last sign of its listeners.
const HeardFor = 7 * time.Second

// Bus carries messages between the nodes of an installation.
//
// Promises:
//   - A message reaches every listener of its project at most once, those of one node in order,
//     and no listener of another project.
//   - No method but Listen and Ask waits for anything outside of this process.
//   - What a node that is away misses stays missed: nothing is kept for it.
type Bus interface {
	// Publish sends a message to the listeners of a project on all nodes, this one included.
	Publish(projectID string, message []byte)
	// Heard reports whether somebody listens to the project, on any node. It costs next to nothing.
	// Listeners of this node count at once, those of others as soon as word of them arrived, and
	// those of a node that died until HeardFor has passed.
	Heard(projectID string) bool
	// Listen calls hear for every message to the project from now on, until stop is called. hear
	// must not block; no call of it begins after stop returned. fault.Unavailable.
	Listen(ctx context.Context, projectID string, hear func(message []byte)) (stop func(), err error)
	// Ask returns what the other nodes answer about a project within a fraction of a second, each
	// once. Nodes that are slow, away or alone make it shorter, never wrong.
	Ask(ctx context.Context, projectID string) [][]byte
	// Answer sets what this node tells others who ask. It is called from many goroutines.
	Answer(about func(projectID string) []byte)
}
