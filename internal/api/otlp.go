package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/ingest"
)

const (
	protobufType = "application/x-protobuf"
	// receiptHeader carries where to ask what became of an export.
	receiptHeader = "X-Sonde-Receipt"
)

// accept takes one decoded export in.
type accept func(ctx context.Context, in ingest.Submission) (ingest.Outcome, error)

// traces serves POST /api/public/otel/v1/traces.
func (s *server) traces(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.export(w, r, caller, s.Ingest.Accept, rejectedSpans)
}

// export reads an OTLP request of any signal and answers in its encoding.
func (s *server) export(w http.ResponseWriter, r *http.Request, caller auth.Principal, take accept, count func(*partialSuccess, string)) error {
	isJSON := contains(r, "application/json")
	if !isJSON && !isProtobuf(r) {
		return errContentType
	}
	client, err := ingest.ReadClient(r.Header.Get)
	if err != nil {
		return err
	}
	in := ingest.Submission{ProjectID: caller.Project.ID, JSON: isJSON, SDKName: client.SDKName, SDKVersion: client.SDKVersion}
	var out ingest.Outcome
	err = s.bodies.read(w, r, func(body []byte) (err error) {
		in.Body = body
		out, err = take(r.Context(), in)
		return err
	})
	infoOf(r).account.outcome = out
	if out.Receipt != "" { // also where nothing could be used: it tells why
		w.Header().Set(receiptHeader, out.Receipt)
	}
	if err != nil {
		return err
	}
	if isJSON {
		writeJSON(w, http.StatusOK, exportAnswer(out, count))
		return nil
	}
	writeProtobuf(w, http.StatusOK, ingest.AppendExportAnswer(nil, out.Rejected, out.Reason))
	return nil
}

// metrics serves POST /api/public/otel/v1/metrics: exporters that send metrics beside traces must
// not fail, but nothing is kept.
func metrics(w http.ResponseWriter, _ *http.Request, _ auth.Principal) error {
	writeJSON(w, http.StatusOK, errorBody{Message: "OK"})
	return nil
}

func isProtobuf(r *http.Request) bool { return contains(r, protobufType) }

func contains(r *http.Request, mediaType string) bool {
	return strings.Contains(strings.ToLower(r.Header.Get("Content-Type")), mediaType)
}

type exportJSON struct {
	PartialSuccess *partialSuccess `json:"partialSuccess,omitempty"`
}

// partialSuccess names the number after the signal. OTLP writes 64-bit integers as text.
type partialSuccess struct {
	RejectedSpans      string `json:"rejectedSpans,omitempty"`
	RejectedLogRecords string `json:"rejectedLogRecords,omitempty"`
	ErrorMessage       string `json:"errorMessage"`
}

// rejectedSpans and rejectedLogs say what a number of rejected items counts.
func rejectedSpans(p *partialSuccess, n string) { p.RejectedSpans = n }
func rejectedLogs(p *partialSuccess, n string)  { p.RejectedLogRecords = n }

func exportAnswer(out ingest.Outcome, count func(*partialSuccess, string)) exportJSON {
	if out.Rejected == 0 {
		return exportJSON{}
	}
	partial := &partialSuccess{ErrorMessage: out.Reason}
	count(partial, strconv.Itoa(out.Rejected))
	return exportJSON{partial}
}

// rpcCodes are the gRPC codes of statuses; others are INTERNAL.
var rpcCodes = map[int]uint64{
	http.StatusBadRequest: 3, http.StatusUnsupportedMediaType: 3, http.StatusForbidden: 7,
	http.StatusRequestEntityTooLarge: 8, http.StatusTooManyRequests: 8, http.StatusServiceUnavailable: 14,
	http.StatusUnauthorized: 16, http.StatusRequestTimeout: 4,
}

const rpcInternal = 13

// failOTLP answers in the encoding of the request. In JSON both members hold the text: exporters
// look for "message", older clients of this route for "error".
func (s *server) failOTLP(w http.ResponseWriter, r *http.Request, err error) {
	status, body := s.failed(w, r, err)
	if !isProtobuf(r) {
		if body.Error != nil {
			body.Error = body.Message
		}
		writeJSON(w, status, body)
		return
	}
	code, ok := rpcCodes[status]
	if !ok {
		code = rpcInternal
	}
	answer := protowire.AppendTag(nil, 1, protowire.VarintType)
	answer = protowire.AppendVarint(answer, code)
	answer = protowire.AppendTag(answer, 2, protowire.BytesType)
	answer = protowire.AppendString(answer, body.Message)
	writeProtobuf(w, status, answer)
}

func writeProtobuf(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", protobufType)
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the caller is gone
}
