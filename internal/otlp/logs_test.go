package otlp_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/otlp"
)

// exportedLogs has one record of each sort: two events of a span, one without a span, a plain one.
func exportedLogs(t testing.TB) plogotlp.ExportRequest {
	t.Helper()
	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	record := func(name string, inAttribute bool) plog.LogRecord {
		r := records.AppendEmpty()
		r.SetTimestamp(1_777_629_600_000_000_001)
		r.SetTraceID(pcommon.TraceID{1, 2, 0xab})
		r.SetSpanID(pcommon.SpanID{3, 0xcd})
		if inAttribute {
			r.Attributes().PutStr("event.name", name)
		} else {
			r.SetEventName(name)
		}
		return r
	}
	user := record("gen_ai.user.message", true)
	user.Attributes().PutStr("gen_ai.system", "openai")
	body := user.Body().SetEmptyMap()
	body.PutStr("content", "hi \"there\"\n")
	body.PutInt("n", 1<<60)
	body.PutDouble("f", 0.5)
	body.PutBool("b", true)
	body.PutEmptySlice("list").AppendEmpty().SetEmptyMap().PutEmptyBytes("bytes").FromRaw([]byte{1, 2})
	choice := record("gen_ai.choice", false)
	choice.SetTimestamp(0)
	choice.SetObservedTimestamp(1_777_629_600_000_000_002)
	choice.Body().SetStr("done")
	record("gen_ai.choice", false).SetSpanID(pcommon.SpanID{})
	record("my.event", false)
	records.AppendEmpty().Body().SetStr("plain text")
	return plogotlp.NewExportRequestFromLogs(logs)
}

func TestLogs(t *testing.T) {
	t.Parallel()
	request := exportedLogs(t)
	binary, err := request.MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	text, err := request.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for name, parse := range map[string]func() (otlp.Logs, error){
		"protobuf": func() (otlp.Logs, error) { return otlp.ParseLogsProtobuf(binary) },
		"json":     func() (otlp.Logs, error) { return otlp.ParseLogsJSON(text) },
	} {
		logs, err := parse()
		if err != nil || len(logs.Records) != 2 || logs.Dropped != 3 || logs.Excess != 0 {
			t.Errorf("%s: %+v, %v", name, logs, err)
			continue
		}
		var got []string
		for _, r := range logs.Records {
			got = append(got, r.TraceID+" "+r.SpanID+" "+r.Time.Format("15:04:05.000000000")+" "+r.Name, string(r.Attributes), string(r.Body))
		}
		const span = "0102ab00000000000000000000000000 03cd000000000000 "
		want := []string{
			span + "10:00:00.000000001 gen_ai.user.message", `{"event.name":"gen_ai.user.message","gen_ai.system":"openai"}`,
			`{"content":"hi \"there\"\n","n":1152921504606846976,"f":0.5,"b":true,"list":[{"bytes":"AQI="}]}`,
			span + "10:00:00.000000002 gen_ai.choice", `{}`, `"done"`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestBrokenLogs(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"\xff", "\x0a\x05ab"} {
		if _, err := otlp.ParseLogsProtobuf([]byte(body)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", body, err)
		}
	}
	for _, body := range []string{"", "[]", `{"resourceLogs":{}}`, "{"} {
		if _, err := otlp.ParseLogsJSON([]byte(body)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", body, err)
		}
	}
	// A record that cannot be read harms no other one.
	good := `{"traceId":"0102ab00000000000000000000000000","spanId":"03CD000000000000","eventName":"gen_ai.choice"}`
	logs, err := otlp.ParseLogsJSON([]byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":7},` + good + `,"x"]}]}]}`))
	if err != nil || len(logs.Records) != 1 || logs.Dropped != 2 {
		t.Errorf("%+v, %v", logs, err)
	}
}

// FuzzLogs: whatever comes, records are of spans and hold valid JSON.
func FuzzLogs(f *testing.F) {
	request := exportedLogs(f)
	binary, err := request.MarshalProto()
	if err != nil {
		f.Fatal(err)
	}
	text, err := request.MarshalJSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(binary, false)
	f.Add(text, true)
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		parse := otlp.ParseLogsProtobuf
		if isJSON {
			parse = otlp.ParseLogsJSON
		}
		logs, err := parse(body)
		if err != nil {
			return
		}
		for _, r := range logs.Records {
			if len(r.TraceID) != 32 || len(r.SpanID) != 16 || !json.Valid(r.Body) || !json.Valid(r.Attributes) {
				t.Errorf("%+v", r)
			}
		}
	})
}
