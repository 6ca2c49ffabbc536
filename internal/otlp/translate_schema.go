package otlp

type jsonFieldKind uint8

const (
	numberField jsonFieldKind = iota // in the wire type of the tag
	textField
	idField
	enumField
	boolField
	intField
	doubleField
	bytesField
	messageField
	listField
)

type jsonField struct {
	kind jsonFieldKind
	tag  uint64
	of   jsonMessageKind // messages and lists
	size int             // ids: bytes
	text uint64          // ids: the private field for those that are text, 0: there is none
}

type jsonMessageKind uint8

const (
	resourceSpansMessage jsonMessageKind = iota
	scopeSpansMessage
	resourceMessage
	scopeMessage
	spanMessage
	eventMessage
	linkMessage
	statusMessage
	attributeMessage
	valueMessage
	arrayMessage
	listMessage
)

type jsonMessage struct {
	path   string // what stands before a key in a rejection
	fields map[string]jsonField
}

var (
	resourceField = jsonField{kind: messageField, tag: tagResource, of: resourceMessage}
	scopeField    = jsonField{kind: messageField, tag: tagScope, of: scopeMessage}
)

func attributesAt(tag uint64) jsonField {
	return jsonField{kind: listField, tag: tag, of: attributeMessage}
}

func textAt(tag uint64) jsonField   { return jsonField{kind: textField, tag: tag} }
func numberAt(tag uint64) jsonField { return jsonField{kind: numberField, tag: tag} }

// jsonMessages is the schema of OTLP/JSON below the level of resource and scope spans.
var jsonMessages = [...]jsonMessage{
	resourceSpansMessage: {fields: map[string]jsonField{"schemaUrl": textAt(3<<3 | length)}},
	scopeSpansMessage:    {fields: map[string]jsonField{"schemaUrl": textAt(3<<3 | length)}},
	resourceMessage: {"resource.", map[string]jsonField{
		"attributes":             attributesAt(tagResourceAttribute),
		"droppedAttributesCount": numberAt(2<<3 | varint),
	}},
	scopeMessage: {"scope.", map[string]jsonField{
		"name":                   textAt(tagScopeName),
		"version":                textAt(tagScopeVersion),
		"attributes":             attributesAt(tagScopeAttribute),
		"droppedAttributesCount": numberAt(4<<3 | varint),
	}},
	spanMessage: {"", map[string]jsonField{
		"traceId":                {kind: idField, tag: tagSpanTraceID, size: traceIDBytes, text: tagTextTraceID},
		"spanId":                 {kind: idField, tag: tagSpanID, size: spanIDBytes, text: tagTextSpanID},
		"traceState":             textAt(3<<3 | length),
		"parentSpanId":           {kind: idField, tag: tagSpanParentID, size: spanIDBytes, text: tagTextParentID},
		"name":                   textAt(tagSpanName),
		"kind":                   {kind: enumField, tag: 6<<3 | varint},
		"startTimeUnixNano":      numberAt(tagSpanStart),
		"endTimeUnixNano":        numberAt(tagSpanEnd),
		"attributes":             attributesAt(tagSpanAttribute),
		"droppedAttributesCount": numberAt(10<<3 | varint),
		"events":                 {kind: listField, tag: tagSpanEvent, of: eventMessage},
		"droppedEventsCount":     numberAt(12<<3 | varint),
		"links":                  {kind: listField, tag: tagSpanLink, of: linkMessage},
		"droppedLinksCount":      numberAt(14<<3 | varint),
		"status":                 {kind: messageField, tag: tagSpanStatus, of: statusMessage},
		"flags":                  numberAt(16<<3 | fixed32),
	}},
	eventMessage: {"event.", map[string]jsonField{
		"timeUnixNano":           numberAt(1<<3 | fixed64),
		"name":                   textAt(2<<3 | length),
		"attributes":             attributesAt(tagEventAttribute),
		"droppedAttributesCount": numberAt(4<<3 | varint),
	}},
	linkMessage: {"link.", map[string]jsonField{
		"traceId":                {kind: idField, tag: 1<<3 | length, size: traceIDBytes},
		"spanId":                 {kind: idField, tag: 2<<3 | length, size: spanIDBytes},
		"traceState":             textAt(3<<3 | length),
		"attributes":             attributesAt(tagLinkAttribute),
		"droppedAttributesCount": numberAt(5<<3 | varint),
		"flags":                  numberAt(6<<3 | fixed32),
	}},
	statusMessage: {"status.", map[string]jsonField{
		"message": textAt(tagStatusMessage),
		"code":    {kind: enumField, tag: tagStatusCode},
	}},
	attributeMessage: {"attributes.", map[string]jsonField{
		"key":   textAt(tagKey),
		"value": {kind: messageField, tag: tagValue, of: valueMessage},
	}},
	valueMessage: {"attributes.", map[string]jsonField{
		"stringValue": textAt(tagString),
		"boolValue":   {kind: boolField, tag: tagBool},
		"intValue":    {kind: intField, tag: tagInt},
		"doubleValue": {kind: doubleField, tag: tagDouble},
		"arrayValue":  {kind: messageField, tag: tagArray, of: arrayMessage},
		"kvlistValue": {kind: messageField, tag: tagList, of: listMessage},
		"bytesValue":  {kind: bytesField, tag: tagBytes},
	}},
	arrayMessage: {"attributes.", map[string]jsonField{
		"values": {kind: listField, tag: tagElement, of: valueMessage},
	}},
	listMessage: {"attributes.", map[string]jsonField{
		"values": {kind: listField, tag: tagElement, of: attributeMessage},
	}},
}

// enumNames are the names of enum values that matter; OTLP/JSON asks for numbers, some send names.
var enumNames = map[string]uint64{
	"STATUS_CODE_UNSET": 0, "STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": statusError,
	"SPAN_KIND_UNSPECIFIED": 0, "SPAN_KIND_INTERNAL": 1, "SPAN_KIND_SERVER": 2,
	"SPAN_KIND_CLIENT": 3, "SPAN_KIND_PRODUCER": 4, "SPAN_KIND_CONSUMER": 5,
}
