package natslog

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A copy of the log is a list of messages, each a line of JSON and the bytes that follow it. Behind the
// messages of a partition comes a line that says where the partition goes on. docs/formats/backup.md.
const (
	aPartition = "partition"
	aRecord    = "record"
	aLetter    = "letter"
	aJob       = "job"

	// maxCopiedLine bounds what a damaged copy can make us hold.
	maxCopiedLine = 64 << 10
)

// copied is the line before the bytes.
type copied struct {
	Kind      string      `json:"kind"`
	Partition int         `json:"partition,omitempty"`
	Sequence  uint64      `json:"sequence,omitempty"` // of a record; of a partition: its next one
	Subject   string      `json:"subject,omitempty"`
	Header    nats.Header `json:"header,omitempty"`
	Bytes     int         `json:"bytes,omitempty"`
}

// CopyTo writes everything that nobody else has: records that are not acknowledged, dead letters and jobs.
//
// Promise: a record whose Append returned before the call is in the copy, or is a dead letter in it, or is
// stored by the time CopyTo returns. So a copy of the store that is begun afterwards completes it.
//
// Limit: a record that is buried and then redriven, both during the call, may be missing.
func (l *Log) CopyTo(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<20)
	// Letters twice: one that is redriven meanwhile is in the first list, one that is buried meanwhile in
	// the second.
	before, err := l.copyLetters(ctx, out, 0)
	if err != nil {
		return err
	}
	for _, p := range l.partitions {
		if err := l.copyPartition(ctx, out, p); err != nil {
			return err
		}
	}
	if _, err := l.copyLetters(ctx, out, before); err != nil {
		return err
	}
	if err := l.copyJobs(ctx, out); err != nil {
		return err
	}
	return out.Flush()
}

// copyPartition walks up from the acknowledged floor. Records that are acknowledged meanwhile may be trimmed
// before the walk comes to them: then they are stored, and the copy has a gap.
func (l *Log) copyPartition(ctx context.Context, out io.Writer, p *partition) error {
	consumer, err := p.consumer.Info(ctx)
	if err != nil {
		return unavailable(err, "copy partition %d", p.number)
	}
	stream, err := p.stream.Info(ctx)
	if err != nil {
		return unavailable(err, "copy partition %d", p.number)
	}
	last := stream.State.LastSeq
	for next := max(consumer.AckFloor.Stream+1, stream.State.FirstSeq); next <= last; next++ {
		record, err := l.lookUp(ctx, p, lookup{Sequence: next})
		if err != nil {
			return err
		}
		if record == nil {
			continue
		}
		var header nats.Header
		if len(record.Header) > 0 {
			if header, err = nats.DecodeHeadersMsg(record.Header); err != nil {
				return fmt.Errorf("copy partition %d: %w", p.number, err)
			}
		}
		if err := write(out, copied{Kind: aRecord, Partition: p.number, Sequence: next, Header: ownHeaders(header)}, record.Data); err != nil {
			return err
		}
	}
	return write(out, copied{Kind: aPartition, Partition: p.number, Sequence: last + 1}, nil)
}

// copyLetters writes the letters with ids above after, and returns the highest id there is.
func (l *Log) copyLetters(ctx context.Context, out io.Writer, after uint64) (uint64, error) {
	return copyStream(ctx, l.dead, after, func(msg *jetstream.RawStreamMsg) error {
		return write(out, copied{Kind: aLetter, Subject: msg.Subject, Header: ownHeaders(msg.Header)}, msg.Data)
	})
}

func (l *Log) copyJobs(ctx context.Context, out io.Writer) error {
	stream, err := l.js.Stream(ctx, jobStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	if err != nil {
		return unavailable(err, "copy jobs")
	}
	_, err = copyStream(ctx, stream, 0, func(msg *jetstream.RawStreamMsg) error {
		return write(out, copied{Kind: aJob, Subject: msg.Subject}, msg.Data)
	})
	return err
}

// copyStream reads the messages of a stream in order, those that come meanwhile left aside.
func copyStream(ctx context.Context, stream jetstream.Stream, after uint64, use func(*jetstream.RawStreamMsg) error) (uint64, error) {
	info, err := stream.Info(ctx)
	if err != nil {
		return 0, unavailable(err, "copy stream")
	}
	for next := max(after+1, info.State.FirstSeq); next <= info.State.LastSeq; next++ {
		msg, err := stream.GetMsg(ctx, next)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return 0, unavailable(err, "copy stream")
		}
		if err := use(msg); err != nil {
			return 0, err
		}
	}
	return info.State.LastSeq, nil
}

// ownHeaders leaves out what the server adds to a message that it hands out.
func ownHeaders(header nats.Header) nats.Header {
	var own nats.Header
	for name, values := range header {
		if strings.HasPrefix(textproto.CanonicalMIMEHeaderKey(name), "Sonde-") {
			if own == nil {
				own = nats.Header{}
			}
			own[name] = values
		}
	}
	return own
}

func write(out io.Writer, line copied, data []byte) error {
	line.Bytes = len(data)
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("write a copy of the log: %w", err)
	}
	for _, piece := range [][]byte{text, {'\n'}, data} {
		if _, err := out.Write(piece); err != nil {
			return fmt.Errorf("write a copy of the log: %w", err)
		}
	}
	return nil
}

// LoadFrom fills a new, empty log. Records keep their positions, so that receipts name the same ones; dead
// letters keep their order and get new ids.
func (l *Log) LoadFrom(ctx context.Context, r io.Reader) error {
	status, err := l.Status(ctx)
	if err != nil {
		return err
	}
	if status.Records > 0 || status.DeadLetters > 0 {
		return errors.New("the log is not empty: restore into a new one")
	}
	if _, err := l.Jobs(ctx); err != nil {
		return err
	}
	in := bufio.NewReaderSize(r, maxCopiedLine)
	for n := 1; ; n++ {
		line, data, err := l.read(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = l.load(ctx, line, data)
		}
		if err != nil {
			return fmt.Errorf("load message %d of the log: %w", n, err)
		}
	}
}

func (l *Log) read(in *bufio.Reader) (line copied, data []byte, err error) {
	text, err := in.ReadSlice('\n')
	if errors.Is(err, io.EOF) && len(text) == 0 {
		return line, nil, io.EOF
	}
	if err != nil {
		return line, nil, fmt.Errorf("the line before it: %w", noEOF(err))
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return line, nil, err
	}
	if line.Bytes < 0 || line.Bytes > int(l.nc.MaxPayload()) {
		return line, nil, fmt.Errorf("%d bytes are more than the log takes", line.Bytes)
	}
	data = make([]byte, line.Bytes)
	_, err = io.ReadFull(in, data)
	return line, data, noEOF(err)
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (l *Log) load(ctx context.Context, line copied, data []byte) error {
	switch line.Kind {
	case aPartition, aRecord:
		if line.Partition < 0 || line.Partition >= len(l.partitions) || line.Sequence == 0 {
			return fmt.Errorf("there is no partition %d; the log has %d", line.Partition, len(l.partitions))
		}
		p := l.partitions[line.Partition]
		if line.Kind == aPartition {
			return l.skipTo(ctx, p, line.Sequence)
		}
		return l.loadRecord(ctx, p, line, data)
	case aLetter:
		if line.Subject != deadSubject && !strings.HasPrefix(line.Subject, deadSubject+".") {
			return fmt.Errorf("%q is no place for dead letters", line.Subject)
		}
	case aJob:
		if !strings.HasPrefix(line.Subject, jobKept) && !strings.HasPrefix(line.Subject, jobOpen) {
			return fmt.Errorf("%q is no place for jobs", line.Subject)
		}
	default:
		return fmt.Errorf("unknown kind %q", line.Kind)
	}
	if _, err := l.js.PublishMsg(ctx, &nats.Msg{Subject: line.Subject, Data: data, Header: line.Header}); err != nil {
		return unavailable(err, "publish")
	}
	return nil
}

// skipTo makes next the sequence of the next record, unless it is already that far. A gap in a copy means that
// all before it is stored.
func (l *Log) skipTo(ctx context.Context, p *partition, next uint64) error {
	info, err := p.stream.Info(ctx)
	if err != nil {
		return unavailable(err, "skip to record %d of partition %d", next, p.number)
	}
	if info.State.LastSeq+1 >= next {
		return nil
	}
	if err := p.stream.Purge(ctx, jetstream.WithPurgeSequence(next)); err != nil {
		return unavailable(err, "skip to record %d of partition %d", next, p.number)
	}
	return nil
}

func (l *Log) loadRecord(ctx context.Context, p *partition, line copied, data []byte) error {
	publish := func() (*jetstream.PubAck, error) {
		return l.js.PublishMsg(ctx, &nats.Msg{Subject: p.subject, Data: data, Header: line.Header},
			jetstream.WithExpectLastSequence(line.Sequence-1), jetstream.WithRetryAttempts(0))
	}
	ack, err := publish()
	var refused *jetstream.APIError
	if errors.As(err, &refused) && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		if err := l.skipTo(ctx, p, line.Sequence); err != nil {
			return err
		}
		ack, err = publish()
	}
	if err != nil {
		return unavailable(err, "append record %d of partition %d", line.Sequence, p.number)
	}
	if ack.Sequence != line.Sequence {
		return fmt.Errorf("record %d of partition %d became %d", line.Sequence, p.number, ack.Sequence)
	}
	return nil
}
