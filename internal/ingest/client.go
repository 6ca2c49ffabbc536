package ingest

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sondehq/sonde/internal/fault"
)

// maxIngestionVersion is the newest form of spans that clients announce. All forms are processed
// alike, at once.
const maxIngestionVersion = 4

// Client is what a client says about itself in headers or in metadata.
type Client struct {
	SDKName, SDKVersion string
}

// ReadClient reads who sends. A form of spans that we do not know is fault.Invalid.
func ReadClient(header func(name string) string) (Client, error) {
	if name, value := clientHeader(header, "ingestion-version"); value != "" {
		if n, err := strconv.Atoi(value); err != nil || n > maxIngestionVersion {
			return Client{}, fault.New(fault.Invalid, `Unsupported %s: "%s". Maximum supported: "%d".`, name, value, maxIngestionVersion)
		}
	}
	return ReadSDK(header), nil
}

// ReadSDK reads who sends where there is only one form of what is sent.
func ReadSDK(header func(name string) string) (c Client) {
	_, c.SDKName = clientHeader(header, "sdk-name")
	_, c.SDKVersion = clientHeader(header, "sdk-version")
	return c
}

// clientHeader returns the header x-<service>-name under either of our names, spelled with
// hyphens or, as some proxies have it, with underscores; and how it is spelled properly.
func clientHeader(header func(name string) string, name string) (proper, value string) {
	for _, service := range []string{"sonde", "langfuse"} {
		proper := "x-" + service + "-" + name
		for _, spelled := range []string{proper, strings.ReplaceAll(proper, "-", "_")} {
			if value := strings.TrimSpace(header(spelled)); value != "" {
				return proper, value
			}
		}
	}
	return "", ""
}

// AppendExportAnswer encodes the answer to an OTLP export, which is the same for every signal:
// partial_success = 1 with the number of rejected items = 1 and the message = 2, or nothing.
func AppendExportAnswer(b []byte, rejected int, reason string) []byte {
	if rejected == 0 {
		return b
	}
	partial := protowire.AppendTag(nil, 1, protowire.VarintType)
	partial = protowire.AppendVarint(partial, uint64(rejected))
	partial = protowire.AppendTag(partial, 2, protowire.BytesType)
	partial = protowire.AppendString(partial, reason)
	b = protowire.AppendTag(b, 1, protowire.BytesType)
	return protowire.AppendBytes(b, partial)
}

// Shown is what people see of a client: what it says about itself, or else the first product of its
// User-Agent; and whether it announces the newest form of spans.
func Shown(header func(name string) string) (c Client, newest bool) {
	c = ReadSDK(header)
	if c.SDKName == "" {
		product, _, _ := strings.Cut(header("User-Agent"), " ")
		c.SDKName, c.SDKVersion, _ = strings.Cut(product, "/")
	}
	_, version := clientHeader(header, "ingestion-version")
	return c, version == strconv.Itoa(maxIngestionVersion)
}
