package erase

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/partial"
)

// lettersAtOnce is a page of dead letters.
const lettersAtOnce = 100

// eachLetter visits dead letters with their records, newest first. One that goes meanwhile is left out.
func (r *run) eachLetter(ctx context.Context, q eventlog.DeadLetterQuery, visit func(eventlog.DeadLetter, []byte) error) error {
	q.Limit = lettersAtOnce
	for {
		page, err := r.Log.DeadLetters(ctx, q)
		if err != nil {
			return err
		}
		for _, letter := range page {
			q.Before = letter.ID
			full, record, err := r.Log.DeadLetter(ctx, letter.ID)
			if errors.Is(err, eventlog.ErrNoDeadLetter) {
				continue
			}
			if err != nil {
				return err
			}
			if err := visit(full, record); err != nil {
				return err
			}
		}
		if len(page) < lettersAtOnce {
			return nil
		}
	}
}

// noteLetters remembers the blobs that dead letters refer to now: a letter may be redriven while we work.
func (r *run) noteLetters(ctx context.Context) error {
	r.at.Kept = nil
	return r.eachLetter(ctx, eventlog.DeadLetterQuery{All: true}, func(_ eventlog.DeadLetter, record []byte) error {
		if envelope, err := eventlog.DecodeEnvelope(record); err == nil && envelope.BlobKey != "" {
			r.at.Kept = append(r.at.Kept, envelope.BlobKey)
		}
		return nil
	})
}

// eraseLetters removes what is to be erased from the project's dead letters. Letters that hold something else,
// too, come again without it: the rest takes the way of a redriven letter.
func (r *run) eraseLetters(ctx context.Context) error {
	buried, whole := r.buried(), r.whole()
	r.at.Result.UnreadableLetters = 0
	return r.eachLetter(ctx, eventlog.DeadLetterQuery{ProjectID: r.project}, func(letter eventlog.DeadLetter, record []byte) error {
		if whole {
			return r.deleteLetter(ctx, letter.ID, record)
		}
		rest, dropped, err := r.rest(ctx, record, buried)
		switch {
		case errors.Is(err, errUnreadable):
			r.at.Result.UnreadableLetters++
			return nil
		case err != nil || dropped == 0:
			return err
		}
		if rest != nil {
			if _, err := r.Log.Append(ctx, rest); err != nil {
				return err
			}
		}
		return r.deleteLetter(ctx, letter.ID, record)
	})
}

func (r *run) deleteLetter(ctx context.Context, id uint64, record []byte) error {
	if envelope, err := eventlog.DecodeEnvelope(record); err == nil && envelope.BlobKey != "" {
		r.at.Kept = slices.DeleteFunc(r.at.Kept, func(key string) bool { return key == envelope.BlobKey })
		if err := r.Blobs.Delete(ctx, envelope.BlobKey); err != nil {
			return err
		}
	}
	if err := r.Log.DeleteDeadLetter(ctx, id); err != nil && !errors.Is(err, eventlog.ErrNoDeadLetter) {
		return err
	}
	r.at.Result.DeadLetters++
	return nil
}

// errUnreadable is for letters of which nobody can say what they hold.
var errUnreadable = errors.New("unreadable dead letter")

// rest is a record without what is to be erased; nil when nothing is left.
func (r *run) rest(ctx context.Context, record []byte, buried func(traceID string, version uint64) bool) (rest []byte, dropped int, err error) {
	envelope, err := eventlog.DecodeEnvelope(record)
	if err != nil {
		return nil, 0, errUnreadable
	}
	payload := envelope.Payload
	if envelope.BlobKey != "" {
		if payload, err = r.blob(ctx, envelope.BlobKey); err != nil {
			return nil, 0, err
		}
	}
	version := model.RowVersion(envelope.AcceptedAt, envelope.First)
	drop := func(traceID string) bool { return buried(traceID, version) }
	switch envelope.Kind {
	case eventlog.KindOTLPTraces:
		payload, dropped, err = otlp.Without(payload, drop)
	case eventlog.KindPartials:
		payload, dropped, err = partial.Without(payload, drop)
	default:
		return nil, 0, errUnreadable
	}
	if err != nil {
		return nil, 0, errUnreadable
	}
	if dropped == 0 || len(payload) == 0 {
		return nil, dropped, nil
	}
	envelope.Payload, envelope.BlobKey = payload, ""
	rest, err = envelope.Encode()
	return rest, dropped, err
}

// blob reads a payload that was larger than a record.
func (r *run) blob(ctx context.Context, key string) ([]byte, error) {
	reader, err := r.Blobs.Get(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, errUnreadable
	}
	if err != nil {
		return nil, fmt.Errorf("read payload of a dead letter: %w", err)
	}
	defer reader.Close()
	data, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("read payload of a dead letter: %w", err)
	}
	return data, nil
}
