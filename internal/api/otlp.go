package api

import (
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
)

const (
	protobufType = "application/x-protobuf"
	// maxIngestionVersion is the newest form of spans that clients announce. All forms are
	// processed alike, at once.
	maxIngestionVersion = 4
	// receiptHeader carries where to ask what became of an export.
	receiptHeader = "X-Sonde-Receipt"
)

// traces serves POST /api/public/otel/v1/traces.
func (s *server) traces(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	isJSON := contains(r, "application/json")
	if !isJSON && !isProtobuf(r) {
		return fault.New(fault.Invalid, "Invalid content type")
	}
	if err := checkIngestionVersion(r.Header); err != nil {
		return err
	}
	in := Submission{Project: caller.Project, JSON: isJSON}
	_, in.SDKName = serviceHeader(r.Header, "sdk-name")
	_, in.SDKVersion = serviceHeader(r.Header, "sdk-version")
	var out Outcome
	err := s.bodies.read(w, r, func(body []byte) (err error) {
		in.Body = body
		out, err = s.Ingest.Accept(r.Context(), in)
		return err
	})
	if err != nil {
		return err
	}
	if out.Receipt != "" {
		w.Header().Set(receiptHeader, out.Receipt)
	}
	if isJSON {
		writeJSON(w, http.StatusOK, exportAnswer(out))
		return nil
	}
	writeProtobuf(w, http.StatusOK, appendExportAnswer(nil, out))
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

// serviceHeader returns the header x-<service>-name under either of our names, spelled with
// hyphens or, as some proxies have it, with underscores; and how it was spelled.
func serviceHeader(h http.Header, name string) (spelled, value string) {
	for _, service := range []string{"sonde", "langfuse"} {
		hyphens := "x-" + service + "-" + name
		for _, spelled := range []string{hyphens, strings.ReplaceAll(hyphens, "-", "_")} {
			if value := strings.TrimSpace(h.Get(spelled)); value != "" {
				return hyphens, value
			}
		}
	}
	return "", ""
}

func checkIngestionVersion(h http.Header) error {
	name, value := serviceHeader(h, "ingestion-version")
	if value == "" {
		return nil
	}
	if n, err := strconv.Atoi(value); err != nil || n > maxIngestionVersion {
		return fault.New(fault.Invalid, `Unsupported %s: "%s". Maximum supported: "%d".`, name, value, maxIngestionVersion)
	}
	return nil
}

type exportJSON struct {
	PartialSuccess *partialSuccess `json:"partialSuccess,omitempty"`
}

type partialSuccess struct {
	RejectedSpans string `json:"rejectedSpans"` // OTLP writes 64-bit integers as text
	ErrorMessage  string `json:"errorMessage"`
}

func exportAnswer(out Outcome) exportJSON {
	if out.Rejected == 0 {
		return exportJSON{}
	}
	return exportJSON{&partialSuccess{strconv.Itoa(out.Rejected), out.Reason}}
}

// appendExportAnswer encodes ExportTraceServiceResponse{partial_success = 1}.
func appendExportAnswer(b []byte, out Outcome) []byte {
	if out.Rejected == 0 {
		return b
	}
	partial := protowire.AppendTag(nil, 1, protowire.VarintType)
	partial = protowire.AppendVarint(partial, uint64(out.Rejected))
	partial = protowire.AppendTag(partial, 2, protowire.BytesType)
	partial = protowire.AppendString(partial, out.Reason)
	b = protowire.AppendTag(b, 1, protowire.BytesType)
	return protowire.AppendBytes(b, partial)
}

// rpcCodes are the gRPC codes of statuses; others are INTERNAL.
var rpcCodes = map[int]uint64{
	http.StatusBadRequest: 3, http.StatusUnsupportedMediaType: 3, http.StatusForbidden: 7,
	http.StatusRequestEntityTooLarge: 8, http.StatusTooManyRequests: 8, http.StatusServiceUnavailable: 14,
	http.StatusUnauthorized: 16,
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
