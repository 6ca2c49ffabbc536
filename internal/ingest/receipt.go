package ingest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/seal"
)

// maxExactRecords is how many records a receipt names one by one. A request of more names, for each
// partition, the range in which its records lie; that bounds the receipt, which is an HTTP header.
const maxExactRecords = 256

// receipt is what the text of a receipt says.
type receipt struct {
	acceptedAt         time.Time
	accepted, rejected int
	// reasons is the record with the reasons of the rejected spans; its sequence is 0 when none is.
	reasons eventlog.Position
	// runs are where the accepted spans lie. When loose, records of others lie there, too.
	runs  []run
	loose bool
}

// run is a range of sequences in one partition, both ends included.
type run struct {
	partition   int
	first, last uint64
}

// newReceipt names the records that hold the accepted spans.
func newReceipt(acceptedAt time.Time, accepted, rejected int, records []eventlog.Position, reasons eventlog.Position) receipt {
	r := receipt{acceptedAt: acceptedAt, accepted: accepted, rejected: rejected, reasons: reasons, loose: len(records) > maxExactRecords}
	records = slices.Clone(records)
	slices.SortFunc(records, func(a, b eventlog.Position) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Sequence, b.Sequence))
	})
	for _, at := range records {
		if n := len(r.runs); n > 0 && r.runs[n-1].partition == at.Partition && (r.loose || r.runs[n-1].last+1 == at.Sequence) {
			r.runs[n-1].last = at.Sequence
			continue
		}
		r.runs = append(r.runs, run{at.Partition, at.Sequence, at.Sequence})
	}
	return r
}

// pending counts the records above the floors; in a loose receipt, the partitions that have some.
func (r receipt) pending(floors []uint64) int {
	count := uint64(0)
	if r.reasons.Sequence > floorOf(floors, r.reasons.Partition) {
		count++
	}
	for _, run := range r.runs {
		floor := floorOf(floors, run.partition)
		switch {
		case run.last <= floor:
		case r.loose:
			count++
		default:
			count += run.last - max(floor, run.first-1)
		}
	}
	return int(count)
}

func floorOf(floors []uint64, partition int) uint64 {
	if partition < len(floors) {
		return floors[partition]
	}
	return 0
}

// records lists the records that are certainly of this request, and only those.
func (r receipt) records() []eventlog.Position {
	if r.loose {
		return nil
	}
	var list []eventlog.Position
	for _, run := range r.runs {
		for sequence := run.first; sequence <= run.last; sequence++ {
			list = append(list, eventlog.Position{Partition: run.partition, Sequence: sequence})
		}
	}
	return list
}

// The first byte of a receipt, and the bits of the second.
const (
	receiptVersion = 1

	isLoose    = 1 << 0
	hasReasons = 1 << 1
)

// encode renders the receipt in varints.
func (r receipt) encode() []byte {
	flags := byte(0)
	if r.loose {
		flags |= isLoose
	}
	if r.reasons.Sequence > 0 {
		flags |= hasReasons
	}
	out := []byte{receiptVersion, flags}
	for _, n := range []uint64{uint64(r.acceptedAt.UnixMicro()), uint64(r.accepted), uint64(r.rejected)} {
		out = binary.AppendUvarint(out, n)
	}
	if r.reasons.Sequence > 0 {
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(r.reasons.Partition)), r.reasons.Sequence)
	}
	out = binary.AppendUvarint(out, uint64(len(r.runs)))
	for _, run := range r.runs {
		out = binary.AppendUvarint(out, uint64(run.partition))
		out = binary.AppendUvarint(out, run.first)
		out = binary.AppendUvarint(out, run.last-run.first)
	}
	return out
}

var errReceipt = errors.New("not a receipt of this version")

// Bounds that every receipt keeps; they only matter for bytes that we did not write.
const (
	maxPartition = 1 << 16
	maxRuns      = 1 << 16
	maxCount     = 1 << 40
)

// decodeReceipt reads what encode wrote.
func decodeReceipt(content []byte) (receipt, error) {
	if len(content) < 2 || content[0] != receiptVersion || content[1]&^(isLoose|hasReasons) != 0 {
		return receipt{}, errReceipt
	}
	in := varints{from: bytes.NewReader(content[2:])}
	r := receipt{
		loose: content[1]&isLoose != 0, acceptedAt: time.UnixMicro(int64(in.atMost(1 << 60))).UTC(),
		accepted: int(in.atMost(maxCount)), rejected: int(in.atMost(maxCount)),
	}
	if content[1]&hasReasons != 0 {
		r.reasons = eventlog.Position{Partition: int(in.atMost(maxPartition)), Sequence: in.sequence()}
	}
	count := in.atMost(maxRuns)
	for range count {
		at := run{partition: int(in.atMost(maxPartition)), first: in.sequence()}
		at.last = at.first + in.atMost(maxCount)
		if in.err != nil || !r.loose && at.last-at.first >= maxExactRecords {
			return receipt{}, errReceipt
		}
		r.runs = append(r.runs, at)
	}
	if in.err != nil || in.from.Len() > 0 || !r.loose && count > maxExactRecords {
		return receipt{}, errReceipt
	}
	return r, nil
}

// varints reads numbers; the first problem stays.
type varints struct {
	from *bytes.Reader
	err  error
}

func (v *varints) atMost(limit uint64) uint64 {
	n, err := binary.ReadUvarint(v.from)
	switch {
	case v.err != nil:
	case errors.Is(err, io.EOF), err != nil, n > limit:
		v.err = errReceipt
	}
	if v.err != nil {
		return 0
	}
	return n
}

func (v *varints) sequence() uint64 {
	n := v.atMost(1 << 62)
	if n == 0 {
		v.err = errReceipt
	}
	return n
}

// sealer binds receipts to a project: one project's receipt is a broken text for all others.
func sealer(secret []byte, projectID string) seal.Sealer {
	return seal.New(secret, "receipt of "+projectID)
}
