// Package otlp reads OTLP trace bodies and turns their spans into observations.
//
// A body is read twice, each time straight from the protobuf wire without building objects:
// ParseProtobuf checks every span when the body is accepted, and Map makes observations of the
// accepted spans later, in the writer. A span that cannot be used is rejected alone. OTLP/JSON
// bodies are translated to the same protobuf bytes first (ParseJSON), so that the rest of the
// product knows one format. See docs/adr/0005-spans-are-read-from-wire-bytes.md.
package otlp

// Field tags (number and wire type) of the OTLP messages this package reads. A field that comes
// with another wire type is an unknown field and skipped, as protobuf has it.
const (
	varint  = 0
	fixed64 = 1
	length  = 2
	fixed32 = 5
)

const (
	tagResourceSpans = 1<<3 | length

	tagResource   = 1<<3 | length
	tagScopeSpans = 2<<3 | length
	tagScope      = 1<<3 | length
	tagSpan       = 2<<3 | length

	tagResourceAttribute = 1<<3 | length

	tagScopeName      = 1<<3 | length
	tagScopeVersion   = 2<<3 | length
	tagScopeAttribute = 3<<3 | length

	tagSpanTraceID   = 1<<3 | length
	tagSpanID        = 2<<3 | length
	tagSpanParentID  = 4<<3 | length
	tagSpanName      = 5<<3 | length
	tagSpanStart     = 7<<3 | fixed64
	tagSpanEnd       = 8<<3 | fixed64
	tagSpanAttribute = 9<<3 | length
	tagSpanEvent     = 11<<3 | length
	tagSpanLink      = 13<<3 | length
	tagSpanStatus    = 15<<3 | length

	tagStatusMessage = 2<<3 | length
	tagStatusCode    = 3<<3 | varint

	tagEventTime      = 1<<3 | fixed64
	tagEventName      = 2<<3 | length
	tagEventAttribute = 3<<3 | length

	tagLinkTraceID   = 1<<3 | length
	tagLinkSpanID    = 2<<3 | length
	tagLinkAttribute = 4<<3 | length

	tagKey   = 1<<3 | length
	tagValue = 2<<3 | length

	tagString = 1<<3 | length
	tagBool   = 2<<3 | varint
	tagInt    = 3<<3 | varint
	tagDouble = 4<<3 | fixed64
	tagArray  = 5<<3 | length
	tagList   = 6<<3 | length
	tagBytes  = 7<<3 | length

	tagElement = 1<<3 | length // of an ArrayValue or a KeyValueList
)

// Private fields of a span carry ids that are no bytes: those that older clients send as text in
// OTLP/JSON. Only the JSON translator writes them; ParseProtobuf takes them out of what clients
// send, so a payload that holds them is ours.
const (
	tagTextTraceID  = 1001<<3 | length
	tagTextSpanID   = 1002<<3 | length
	tagTextParentID = 1003<<3 | length
)

const (
	traceIDBytes = 16
	spanIDBytes  = 8
	// maxTextID bounds ids that are kept as text.
	maxTextID = 800
	// maxNesting is how deep attribute values may nest: a plain value has depth 1.
	maxNesting = 32
	// maxAttributes is how many attributes a span, resource or scope may have.
	maxAttributes = 10000

	statusError = 2
)
