package writer_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/partial"
)

// chatSpan is one span of a model call, with an input of its own if that is given.
func chatSpan(input string) eventlog.Envelope {
	attribute := func(key, text string) []byte {
		return field(field(nil, 1, []byte(key)), 2, field(nil, 1, []byte(text)))
	}
	span := field(nil, 1, bytes.Repeat([]byte{7}, 16))
	span = field(span, 2, bytes.Repeat([]byte{8}, 8))
	span = field(span, 5, []byte("chat"))
	span = protowire.AppendFixed64(protowire.AppendTag(span, 7, protowire.Fixed64Type), uint64(spanStart.UnixNano()))
	span = field(span, 9, attribute("langfuse.observation.type", "generation"))
	if input != "" {
		span = field(span, 9, attribute("langfuse.observation.input", input))
	}
	payload := field(nil, 1, field(nil, 2, field(nil, 2, span)))
	return eventlog.Envelope{Kind: eventlog.KindOTLPTraces, ProjectID: "p", AcceptedAt: time.Now(), Payload: payload}
}

var spanStart = time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)

func messageLog(t testing.TB, after time.Duration, name, body string) partial.Event {
	t.Helper()
	e, ok := partial.NewLog(partial.LogRecord{
		TraceID: strings.Repeat("07", 16), SpanID: hex.EncodeToString(bytes.Repeat([]byte{8}, 8)),
		Time: spanStart.Add(after), Name: name, Body: json.RawMessage(body),
	})
	if !ok {
		t.Fatalf("%s carries no message", name)
	}
	return e
}

const (
	wantInput  = `[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}]`
	wantOutput = `{"index":0,"message":{"content":"hello"}}`
)

func threeLogs(t testing.TB) []partial.Event {
	t.Helper()
	return []partial.Event{
		messageLog(t, 1*time.Millisecond, "gen_ai.system.message", `{"content":"be brief"}`),
		messageLog(t, 2*time.Millisecond, "gen_ai.user.message", `{"content":"hi"}`),
		messageLog(t, 3*time.Millisecond, "gen_ai.choice", `{"index":0,"message":{"content":"hello"}}`),
	}
}

func (f *fixture) wantMessages(about, input, output string) {
	f.Helper()
	rows := f.rows()
	if len(rows) != 1 || rows[0].Input != input || rows[0].Output != output {
		f.Errorf("%s: rows %+v", about, rows)
	}
}

// Spans and log records come in every order, each in a batch of its own.
func TestMessagesFindTheirSpanInEveryOrder(t *testing.T) {
	t.Parallel()
	logs := threeLogs(t)
	permutations(4, func(order []int) {
		run(t, func(f *fixture) {
			for range 2 { // and all of it is delivered once more
				for _, i := range order {
					if i == 3 {
						f.append(chatSpan(""))
					} else {
						f.append(eventEnvelope(t, time.Now(), logs[i]))
					}
					wait(300 * time.Millisecond)
				}
				f.wantMessages("in turn", wantInput, wantOutput)
			}
			f.wantPending(0)
		})
	})
}

func TestMessagesAndSpanAtOnce(t *testing.T) {
	t.Parallel()
	logs := threeLogs(t)
	for seed := range 60 {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			stops := []func(){f.start(&slowStore{store: f.store, seed: seed}), f.start(&slowStore{store: f.store, seed: seed + 1000})}
			for i := range 4 {
				if at := (i + seed) % 4; at == 3 {
					f.append(chatSpan(""))
				} else {
					f.append(eventEnvelope(t, time.Now(), logs[at]))
				}
				wait(time.Duration(seed%5*50) * time.Millisecond)
			}
			wait(10 * time.Second)
			for _, stop := range stops {
				stop()
			}
			f.wantMessages("at once", wantInput, wantOutput)
			f.wantPending(0)
		})
	}
}

func TestMessagesOfTheSpanItselfStay(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		f.append(eventEnvelope(t, time.Now(), threeLogs(t)...))
		wait(time.Second)
		f.append(chatSpan("its own"))
		wait(time.Second)
		f.append(eventEnvelope(t, time.Now(), threeLogs(t)...))
		wait(time.Second)
		f.wantMessages("own", "its own", "")
	})
}
