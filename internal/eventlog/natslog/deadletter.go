package natslog

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sondehq/sonde/internal/eventlog"
)

// The headers of a dead letter; docs/formats/envelope.md describes them.
const (
	headerDeadVersion   = "Sonde-Dead-Letter"
	headerDeadReason    = "Sonde-Reason"
	headerDeadPartition = "Sonde-Partition"
	headerDeadSequence  = "Sonde-Sequence"

	deadLetterVersion = "1"

	// maxReasonBytes bounds a reason as it is stored, quoted.
	maxReasonBytes = 2 << 10

	// deadLetterHeaderBytes is more than all headers of a dead letter take.
	deadLetterHeaderBytes = 4 << 10
)

// Bury stores the record with its reason in the dead letters, then acknowledges it. When the
// acknowledgement gets lost the record comes again and is buried once more.
func (l *Log) Bury(ctx context.Context, d eventlog.Delivery, reason string) error {
	at := d.Position()
	letter := nats.NewMsg(deadSubject)
	letter.Data = d.Record()
	letter.Header.Set(headerDeadVersion, deadLetterVersion)
	letter.Header.Set(headerDeadReason, quoteReason(reason))
	letter.Header.Set(headerDeadPartition, strconv.Itoa(at.Partition))
	letter.Header.Set(headerDeadSequence, strconv.FormatUint(at.Sequence, 10))
	if _, err := l.js.PublishMsg(ctx, letter); err != nil {
		l.heal(ctx)
		return unavailable(err, "bury record %d of partition %d", at.Sequence, at.Partition)
	}
	return d.Ack()
}

// quoteReason makes any text safe for a header: one line of ASCII, bounded.
func quoteReason(reason string) string {
	quoted := strconv.QuoteToASCII(reason)
	for cut := reason; len(quoted) > maxReasonBytes; {
		cut = strings.ToValidUTF8(cut[:len(cut)*3/4], "")
		quoted = strconv.QuoteToASCII(cut + "…")
	}
	return quoted
}

// DeadLetters reads the newest dead letters.
func (l *Log) DeadLetters(ctx context.Context, limit int) ([]eventlog.DeadLetter, error) {
	info, err := l.dead.Info(ctx)
	if err != nil {
		return nil, unavailable(err, "read dead letters")
	}
	var letters []eventlog.DeadLetter
	state := info.State
	for seq := state.LastSeq; seq >= max(state.FirstSeq, 1) && len(letters) < limit; seq-- {
		msg, err := l.dead.GetMsg(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue // aged out meanwhile
		}
		if err != nil {
			return nil, unavailable(err, "read dead letter %d", seq)
		}
		letter, err := parseDeadLetter(msg)
		if err != nil {
			return nil, fmt.Errorf("read dead letter %d: %w", seq, err)
		}
		letters = append(letters, letter)
	}
	return letters, nil
}

func parseDeadLetter(msg *jetstream.RawStreamMsg) (eventlog.DeadLetter, error) {
	if v := msg.Header.Get(headerDeadVersion); v != deadLetterVersion {
		return eventlog.DeadLetter{}, fmt.Errorf("unknown version %q", v)
	}
	reason, err := strconv.Unquote(msg.Header.Get(headerDeadReason))
	if err != nil {
		return eventlog.DeadLetter{}, fmt.Errorf("reason: %w", err)
	}
	partition, err := strconv.Atoi(msg.Header.Get(headerDeadPartition))
	if err != nil {
		return eventlog.DeadLetter{}, fmt.Errorf("partition: %w", err)
	}
	sequence, err := strconv.ParseUint(msg.Header.Get(headerDeadSequence), 10, 64)
	if err != nil {
		return eventlog.DeadLetter{}, fmt.Errorf("sequence: %w", err)
	}
	return eventlog.DeadLetter{
		Position: eventlog.Position{Partition: partition, Sequence: sequence},
		Reason:   reason, Record: msg.Data, BuriedAt: msg.Time,
	}, nil
}
