// Package eventlog is the port to the durable ingest log.
//
// The log is a set of partitions, each an append-only sequence of records. A record is an
// envelope (see Envelope), but the log does not look inside; only a dead letter names its project.
package eventlog

import (
	"context"
	"errors"
	"time"
)

// ErrFull is returned by Append when the log has no room left. Nothing was stored:
// the log refuses new records, it never drops old ones.
var ErrFull = errors.New("the log is full")

// ErrTooLarge is returned by Append for a record above MaxRecordBytes.
var ErrTooLarge = errors.New("record larger than the log takes")

// Position names a record: its partition and its sequence there, from 1.
type Position struct {
	Partition int
	Sequence  uint64
}

// Delivery is one record in the hands of a consumer.
type Delivery interface {
	Position() Position
	Record() []byte
	// AppendedAt is when the log took the record.
	AppendedAt() time.Time
	// Ack says that the record's rows are stored; it will not be delivered again.
	// An acknowledgement that gets lost leads to a redelivery.
	Ack() error
	// Extend says that the record is still being worked on. A delivery that is neither
	// acknowledged nor extended within ExtendWithin is delivered again.
	Extend() error
}

// ExtendWithin is how often a consumer must Extend what it holds. What a consumer held that died comes to another one not
// much later: within ten seconds, and readable by then.
const ExtendWithin = 4 * time.Second

// Status is the state of the log, summed over partitions.
type Status struct {
	Records       uint64 // kept, acknowledged ones included
	Bytes         uint64
	CapacityBytes uint64    // 0: unbounded
	Pending       uint64    // not yet acknowledged
	OldestPending time.Time // when the oldest record past the floor was appended; zero when nothing is pending
	DeadLetters   uint64
	Floors        []uint64 // per partition: every record up to here is acknowledged
	Parts         []Part   // per partition: what waits there
}

// Part is what waits in one partition, and who holds it.
type Part struct {
	Pending       uint64    // not yet acknowledged
	OldestPending time.Time // zero when nothing is pending
	Redelivered   uint64    // of the pending ones: taken from a consumer that did not answer in time
	// ReplicasMissing is how many of the configured copies are away or behind. The log works on
	// while a majority is there.
	ReplicasMissing int
	// At is the clock of the server that answered; zero where the log is in this process.
	At time.Time
}

// Log is the durable ingest log.
//
// Promises:
//   - A record whose Append returned nil is on disk (in a cluster: on a majority of disks).
//   - It is delivered, again and again if need be, until it is acknowledged or buried;
//     nothing else ends it: no age, no number of deliveries, no outage.
//   - Two appends of the same bytes are two records.
//   - A full log refuses with ErrFull and never drops.
type Log interface {
	// Append stores a record durably in any partition.
	Append(ctx context.Context, record []byte) (Position, error)
	// MaxRecordBytes is the largest record Append takes.
	MaxRecordBytes() int
	// Partitions is how many partitions there are, numbered from 0.
	Partitions() int
	// Fetch waits for records of one partition that are due and returns at most maxRecords of
	// about maxBytes (at least one). It returns none when ctx ends or after a short wait.
	// Consumers on several nodes share a partition's records.
	Fetch(ctx context.Context, partition, maxRecords, maxBytes int) ([]Delivery, error)
	// Bury moves a delivery to the dead letters (see DeadLetters) and acknowledges it.
	Bury(ctx context.Context, d Delivery, reason string) error
	// Trim forgets acknowledged records older than keep, and younger ones, oldest first, while
	// acknowledged records fill more than half of the log or the log is nearly full. It never
	// touches a record above the acknowledged floor.
	Trim(ctx context.Context, keep time.Duration) error
	// Status reports counts, sizes and lag.
	Status(ctx context.Context) (Status, error)
}
