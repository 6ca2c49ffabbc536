package otlp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// The shapes of OTLP/JSON logs. What is not of its shape is dropped with its record.
type (
	logsJSON struct {
		ResourceLogs []struct {
			ScopeLogs []struct {
				LogRecords []json.RawMessage `json:"logRecords"`
			} `json:"scopeLogs"`
		} `json:"resourceLogs"`
	}
	logRecordJSON struct {
		Time       numberJSON     `json:"timeUnixNano"`
		Observed   numberJSON     `json:"observedTimeUnixNano"`
		TraceID    string         `json:"traceId"`
		SpanID     string         `json:"spanId"`
		EventName  string         `json:"eventName"`
		Body       anyValueJSON   `json:"body"`
		Attributes []keyValueJSON `json:"attributes"`
	}
	keyValueJSON struct {
		Key   string       `json:"key"`
		Value anyValueJSON `json:"value"`
	}
	anyValueJSON struct {
		String *string      `json:"stringValue"`
		Bool   *bool        `json:"boolValue"`
		Int    *numberJSON  `json:"intValue"`
		Double *json.Number `json:"doubleValue"`
		Bytes  *string      `json:"bytesValue"`
		Array  *struct {
			Values []anyValueJSON `json:"values"`
		} `json:"arrayValue"`
		List *struct {
			Values []keyValueJSON `json:"values"`
		} `json:"kvlistValue"`
	}
)

// numberJSON is a 64-bit integer, as a number or, as OTLP has it, as text.
type numberJSON int64

// UnmarshalJSON reads either form.
func (n *numberJSON) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseInt(string(bytes.Trim(text, `"`)), 10, 64)
	*n = numberJSON(v)
	return err
}

// ParseLogsJSON reads an OTLP/JSON logs request as ParseLogsProtobuf does.
func ParseLogsJSON(body []byte) (Logs, error) {
	var request logsJSON
	if err := json.Unmarshal(body, &request); err != nil {
		return Logs{}, fault.New(fault.Invalid, "Failed to parse OTel JSON Logs").Because(err)
	}
	var logs Logs
	for _, resource := range request.ResourceLogs {
		for _, scope := range resource.ScopeLogs {
			for _, text := range scope.LogRecords {
				var record logRecordJSON
				ok := json.Unmarshal(text, &record) == nil
				logs.add(record.logRecord(), ok)
			}
		}
	}
	return logs, nil
}

func (r *logRecordJSON) logRecord() LogRecord {
	at := r.Time
	if at == 0 {
		at = r.Observed
	}
	attributes := []byte{'{'}
	for i := range r.Attributes {
		a := &r.Attributes[i]
		if a.Key == eventNameKey && r.EventName == "" && a.Value.String != nil {
			r.EventName = *a.Value.String
		}
		if i > 0 {
			attributes = append(attributes, ',')
		}
		attributes = a.appendTo(attributes, 1)
	}
	return LogRecord{
		TraceID: strings.ToLower(r.TraceID), SpanID: strings.ToLower(r.SpanID), Name: r.EventName,
		Time: time.Unix(0, min(max(int64(at), 0), int64(lastNano))).UTC(), Attributes: append(attributes, '}'), Body: r.Body.appendTo(nil, 1),
	}
}

func (a *keyValueJSON) appendTo(dst []byte, depth int) []byte {
	return a.Value.appendTo(append(appendQuoted(dst, a.Key), ':'), depth)
}

// appendTo appends the plain JSON of a value; what nests too deep is null.
func (v *anyValueJSON) appendTo(dst []byte, depth int) []byte {
	switch {
	case v.String != nil:
		return appendQuoted(dst, *v.String)
	case v.Bool != nil:
		return strconv.AppendBool(dst, *v.Bool)
	case v.Int != nil:
		return strconv.AppendInt(dst, int64(*v.Int), 10)
	case v.Double != nil:
		f, err := v.Double.Float64()
		if err != nil {
			return append(dst, "null"...)
		}
		return appendDouble(dst, f)
	case v.Bytes != nil:
		return appendQuoted(dst, *v.Bytes)
	case depth > maxNesting:
	case v.Array != nil:
		dst = append(dst, '[')
		for i := range v.Array.Values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.Array.Values[i].appendTo(dst, depth+1)
		}
		return append(dst, ']')
	case v.List != nil:
		dst = append(dst, '{')
		for i := range v.List.Values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.List.Values[i].appendTo(dst, depth+1)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}
