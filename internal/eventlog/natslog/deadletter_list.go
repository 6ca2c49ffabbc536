package natslog

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sondehq/sonde/internal/eventlog"
)

const (
	// listWindow is how many sequences the first look of a listing covers; each further look, at
	// older letters, covers listGrowth times as many, so that gaps cost little.
	listWindow = 64
	listGrowth = 4

	// listBatch is how many letters are asked for at once.
	listBatch = 256

	// listAbandoned is when the server forgets a listing that nobody ended.
	listAbandoned = 10 * time.Second

	headerSize = "Nats-Msg-Size"
)

// DeadLetters lists letters by their headers: records stay where they are. The server filters by
// project.
func (l *Log) DeadLetters(ctx context.Context, q eventlog.DeadLetterQuery) ([]eventlog.DeadLetter, error) {
	info, err := l.dead.Info(ctx)
	if err != nil {
		return nil, unavailable(err, "read dead letters")
	}
	subject := subjectOf(q.ProjectID)
	if q.All {
		subject = ""
	}
	first, end := max(info.State.FirstSeq, 1), info.State.LastSeq+1
	if q.Before > 0 {
		end = min(end, q.Before)
	}
	var letters []eventlog.DeadLetter
	for window := uint64(max(listWindow, q.Limit)); end > first && len(letters) < q.Limit && info.State.Msgs > 0; window *= listGrowth {
		from := first
		if end-first > window {
			from = end - window
		}
		found, err := l.lettersBetween(ctx, subject, from, end, q.Limit-len(letters))
		if err != nil {
			return nil, err
		}
		letters, end = append(letters, found...), from
	}
	return letters, nil
}

// lettersBetween returns the newest letters with from <= id < end, newest first. The server walks
// upwards only, so it reads all of them and keeps the last.
func (l *Log) lettersBetween(ctx context.Context, subject string, from, end uint64, limit int) ([]eventlog.DeadLetter, error) {
	walk, err := l.dead.CreateConsumer(ctx, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: from, FilterSubject: subject,
		AckPolicy: jetstream.AckNonePolicy, HeadersOnly: true, MemoryStorage: true, Replicas: 1, InactiveThreshold: listAbandoned,
	})
	if err != nil {
		return nil, unavailable(err, "list dead letters")
	}
	defer func() { _ = l.dead.DeleteConsumer(ctx, walk.CachedInfo().Name) }() // else it is abandoned
	var letters []eventlog.DeadLetter
	for {
		batch, err := walk.FetchNoWait(listBatch)
		if err != nil {
			return nil, unavailable(err, "list dead letters")
		}
		got, past := 0, false
		for msg := range batch.Messages() {
			got++
			letter, err := listed(msg)
			if err != nil {
				return nil, err
			}
			if past = past || letter.ID >= end; past {
				continue // take the rest of the batch off the wire
			}
			if letters = append(letters, letter); len(letters) > limit {
				letters = letters[1:]
			}
		}
		if err := batch.Error(); err != nil {
			return nil, unavailable(err, "list dead letters")
		}
		if got < listBatch || past {
			slices.Reverse(letters)
			return letters, nil
		}
	}
}

func listed(msg jetstream.Msg) (eventlog.DeadLetter, error) {
	meta, err := msg.Metadata()
	if err != nil {
		return eventlog.DeadLetter{}, fmt.Errorf("list dead letters: %w", err)
	}
	letter, err := parseDeadLetter(msg.Headers())
	if err != nil {
		return letter, fmt.Errorf("read dead letter %d: %w", meta.Sequence.Stream, err)
	}
	letter.ID, letter.BuriedAt = meta.Sequence.Stream, meta.Timestamp
	letter.Bytes, err = strconv.Atoi(msg.Headers().Get(headerSize))
	if err != nil {
		return letter, fmt.Errorf("read size of dead letter %d: %w", letter.ID, err)
	}
	return letter, nil
}
