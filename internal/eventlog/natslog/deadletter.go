package natslog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sondehq/sonde/internal/eventlog"
)

// The headers of a dead letter, and of a record that was one; docs/formats/envelope.md describes
// them.
const (
	headerDeadVersion   = "Sonde-Dead-Letter"
	headerDeadReason    = "Sonde-Reason"
	headerDeadPartition = "Sonde-Partition"
	headerDeadSequence  = "Sonde-Sequence"
	headerDeadProject   = "Sonde-Project"
	headerDeadKind      = "Sonde-Kind"
	headerRedriven      = "Sonde-Redriven"
	headerOrigin        = "Sonde-Origin"

	deadLetterVersion = "1"

	// maxReasonBytes bounds a reason as it is stored, quoted; maxOwnerBytes a project and a kind.
	maxReasonBytes = 2 << 10
	maxOwnerBytes  = 512

	// deadLetterHeaderBytes is more than all headers of a dead letter take.
	deadLetterHeaderBytes = 4 << 10
)

// Bury stores the record with its reason in the dead letters, then acknowledges it. When the
// acknowledgement gets lost the record comes again and is buried once more.
func (l *Log) Bury(ctx context.Context, d eventlog.Delivery, reason string) error {
	at := d.Position()
	project, kind := eventlog.Owner(d.Record())
	quotedProject, quotedKind := strconv.QuoteToASCII(project), strconv.QuoteToASCII(string(kind))
	if len(quotedProject) > maxOwnerBytes || len(quotedKind) > maxOwnerBytes {
		project, quotedProject, quotedKind = "", `""`, `""` // none that we made
	}
	letter := nats.NewMsg(subjectOf(project))
	letter.Data = d.Record()
	letter.Header.Set(headerDeadVersion, deadLetterVersion)
	letter.Header.Set(headerDeadReason, quoteReason(reason))
	letter.Header.Set(headerDeadPartition, strconv.Itoa(at.Partition))
	letter.Header.Set(headerDeadSequence, strconv.FormatUint(at.Sequence, 10))
	letter.Header.Set(headerDeadProject, quotedProject)
	letter.Header.Set(headerDeadKind, quotedKind)
	if own, ok := d.(*delivery); ok {
		for _, name := range []string{headerRedriven, headerOrigin} {
			if value := own.msg.Header.Get(name); value != "" {
				letter.Header.Set(name, value)
			}
		}
	}
	_, err := l.js.PublishMsg(ctx, letter)
	switch {
	case isFull(err):
		return fmt.Errorf("bury record %d of partition %d: %w", at.Sequence, at.Partition, eventlog.ErrDeadLettersFull)
	case err != nil:
		l.heal(ctx)
		return unavailable(err, "bury record %d of partition %d", at.Sequence, at.Partition)
	}
	return d.Ack()
}

// subjectOf is where the letters of a project lie: a name of our own making, whatever the
// project is called.
func subjectOf(project string) string {
	if project == "" {
		return deadSubject + ".none"
	}
	sum := sha256.Sum256([]byte(project))
	return deadSubject + "." + hex.EncodeToString(sum[:16])
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

// DeadLetter reads one letter.
func (l *Log) DeadLetter(ctx context.Context, id uint64) (eventlog.DeadLetter, []byte, error) {
	if id == 0 {
		return eventlog.DeadLetter{}, nil, eventlog.ErrNoDeadLetter
	}
	msg, err := l.dead.GetMsg(ctx, id)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return eventlog.DeadLetter{}, nil, eventlog.ErrNoDeadLetter
	}
	if err != nil {
		return eventlog.DeadLetter{}, nil, unavailable(err, "read dead letter %d", id)
	}
	letter := readLetter(msg.Header)
	letter.ID, letter.BuriedAt, letter.Bytes = id, msg.Time, len(msg.Data)
	return letter, msg.Data, nil
}

// Redrive appends the record with a note of where it comes from, then removes the letter. That
// somebody else removed it meanwhile does no harm.
func (l *Log) Redrive(ctx context.Context, id uint64) (eventlog.Position, error) {
	letter, record, err := l.DeadLetter(ctx, id)
	if err != nil {
		return eventlog.Position{}, err
	}
	header := nats.Header{}
	header.Set(headerRedriven, strconv.Itoa(letter.Redriven+1))
	header.Set(headerOrigin, fmt.Sprintf("%d/%d", letter.Origin.Partition, letter.Origin.Sequence))
	at, err := l.append(ctx, record, header)
	if err != nil {
		return eventlog.Position{}, err
	}
	if err := l.DeleteDeadLetter(ctx, id); err != nil && !errors.Is(err, eventlog.ErrNoDeadLetter) {
		return eventlog.Position{}, err
	}
	return at, nil
}

// DeleteDeadLetter overwrites the letter on disk.
func (l *Log) DeleteDeadLetter(ctx context.Context, id uint64) error {
	if id == 0 {
		return eventlog.ErrNoDeadLetter
	}
	refusal := l.dead.SecureDeleteMsg(ctx, id)
	if refusal == nil {
		return nil
	}
	// The server has one answer for a letter that is not there and one that cannot be removed.
	_, _, err := l.DeadLetter(ctx, id)
	if errors.Is(err, eventlog.ErrNoDeadLetter) {
		return err
	}
	return unavailable(errors.Join(refusal, err), "delete dead letter %d", id)
}

// readLetter reads what the headers say. A letter of a later release must not hide the others: it
// belongs to no project and says why.
func readLetter(h nats.Header) eventlog.DeadLetter {
	letter, err := parseDeadLetter(h)
	if err != nil {
		return eventlog.DeadLetter{Reason: fmt.Sprintf("this dead letter cannot be read: %v", err)}
	}
	return letter
}

// parseDeadLetter reads the headers. Letters of the first release name neither project nor kind.
func parseDeadLetter(h nats.Header) (letter eventlog.DeadLetter, err error) {
	if v := h.Get(headerDeadVersion); v != deadLetterVersion {
		return letter, fmt.Errorf("unknown version %q", v)
	}
	if letter.Reason, err = strconv.Unquote(h.Get(headerDeadReason)); err != nil {
		return letter, fmt.Errorf("reason: %w", err)
	}
	if letter.Position.Partition, err = strconv.Atoi(h.Get(headerDeadPartition)); err != nil {
		return letter, fmt.Errorf("partition: %w", err)
	}
	if letter.Position.Sequence, err = strconv.ParseUint(h.Get(headerDeadSequence), 10, 64); err != nil {
		return letter, fmt.Errorf("sequence: %w", err)
	}
	if quoted := h.Get(headerDeadProject); quoted != "" {
		if letter.ProjectID, err = strconv.Unquote(quoted); err != nil {
			return letter, fmt.Errorf("project: %w", err)
		}
	}
	if quoted := h.Get(headerDeadKind); quoted != "" {
		kind, err := strconv.Unquote(quoted)
		if err != nil {
			return letter, fmt.Errorf("kind: %w", err)
		}
		letter.Kind = eventlog.Kind(kind)
	}
	letter.Origin = letter.Position
	if count := h.Get(headerRedriven); count != "" {
		if letter.Redriven, err = strconv.Atoi(count); err != nil {
			return letter, fmt.Errorf("redriven: %w", err)
		}
		if _, err := fmt.Sscanf(h.Get(headerOrigin), "%d/%d", &letter.Origin.Partition, &letter.Origin.Sequence); err != nil {
			return letter, fmt.Errorf("origin: %w", err)
		}
	}
	return letter, nil
}
