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

	// listWithin bounds one look.
	listWithin = 10 * time.Second

	// listAbandoned is when the server forgets a listing that nobody ended.
	listAbandoned = 30 * time.Second

	headerSize = "Nats-Msg-Size"
)

// DeadLetters lists letters by their headers: records stay where they are. The server filters by
// project.
func (l *Log) DeadLetters(ctx context.Context, q eventlog.DeadLetterQuery) ([]eventlog.DeadLetter, error) {
	info, err := l.dead.Info(ctx)
	if err != nil {
		return nil, unavailable(err, "read dead letters")
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
		found, err := l.lettersBetween(ctx, q, from, end, q.Limit-len(letters))
		if err != nil {
			return nil, err
		}
		letters, end = append(letters, found...), from
	}
	return letters, nil
}

// lettersBetween returns the newest letters with from <= id < end, newest first. The server walks
// upwards only, so it reads all of them and keeps the last.
func (l *Log) lettersBetween(ctx context.Context, q eventlog.DeadLetterQuery, from, end uint64, limit int) ([]eventlog.DeadLetter, error) {
	subject := subjectOf(q.ProjectID)
	if q.All {
		subject = ""
	}
	ctx, cancel := context.WithTimeout(ctx, listWithin)
	defer cancel()
	walk, err := l.dead.CreateConsumer(ctx, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: from, FilterSubject: subject,
		AckPolicy: jetstream.AckNonePolicy, HeadersOnly: true, MemoryStorage: true, Replicas: 1, InactiveThreshold: listAbandoned,
	})
	if err != nil {
		return nil, unavailable(err, "list dead letters")
	}
	defer func() { _ = l.dead.DeleteConsumer(ctx, walk.CachedInfo().Name) }() // else it is abandoned
	var letters []eventlog.DeadLetter
	for left := walk.CachedInfo().NumPending; left > 0; {
		batch, next, err := fetchLetters(ctx, walk, int(min(left, listBatch)))
		if err != nil {
			return nil, err
		}
		for _, letter := range batch {
			if letter.ID >= end {
				next = 0
				break
			}
			if !q.All && letter.ProjectID != q.ProjectID {
				continue // the subject is a hash
			}
			if letters = append(letters, letter); len(letters) > limit {
				letters = letters[1:]
			}
		}
		left = next
	}
	slices.Reverse(letters)
	return letters, nil
}

// fetchLetters returns the next letters of a walk and how many are left. The client library ends a
// fetch that takes long as if there were no more, so an empty one asks the server.
func fetchLetters(ctx context.Context, walk jetstream.Consumer, size int) (letters []eventlog.DeadLetter, left uint64, err error) {
	batch, err := walk.FetchNoWait(size)
	if err != nil {
		return nil, 0, unavailable(err, "list dead letters")
	}
	for msg := range batch.Messages() {
		letter, pending, err := listed(msg)
		if err != nil {
			return nil, 0, err
		}
		letters, left = append(letters, letter), pending
	}
	if err := batch.Error(); err != nil {
		return nil, 0, unavailable(err, "list dead letters")
	}
	if len(letters) == 0 {
		info, err := walk.Info(ctx)
		if err != nil {
			return nil, 0, unavailable(err, "list dead letters")
		}
		left = info.NumPending
	}
	return letters, left, nil
}

func listed(msg jetstream.Msg) (letter eventlog.DeadLetter, left uint64, err error) {
	meta, err := msg.Metadata()
	if err != nil {
		return letter, 0, fmt.Errorf("list dead letters: %w", err)
	}
	letter = readLetter(msg.Headers())
	letter.ID, letter.BuriedAt = meta.Sequence.Stream, meta.Timestamp
	if letter.Bytes, err = strconv.Atoi(msg.Headers().Get(headerSize)); err != nil {
		return letter, 0, fmt.Errorf("read size of dead letter %d: %w", letter.ID, err)
	}
	return letter, meta.NumPending, nil
}
