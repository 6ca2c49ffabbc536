package partial

import (
	"encoding/json"
	"unicode/utf8"
)

// maxScoreText is the longest text of a score of type TEXT, in characters.
const maxScoreText = 500

const correction = "CORRECTION"

// scoreIssue says what is wrong with the body of a score.
func scoreIssue(body json.RawMessage) string {
	r := newReader(body)
	r.id("id")
	if r.text("name") == "" {
		r.complain("name", "required")
	}
	for _, key := range []string{"comment", "configId", "queueId", "executionTraceId", "environment"} {
		r.text(key)
	}
	r.time("timestamp")
	dataType := r.oneOf("dataType", "NUMERIC", "CATEGORICAL", "BOOLEAN", "TEXT", correction)
	r.scoreValue(dataType)
	r.scoreTarget(dataType)
	configured := r.text("configId") != ""
	if dataType == correction && configured {
		r.complain("configId", "a correction has no config")
	}
	if r.oneOf("source", "API", "EVAL", "ANNOTATION") == "ANNOTATION" && dataType != correction && !configured {
		r.complain("configId", "required for annotations")
	}
	return r.issue
}

func (r *reader) scoreValue(dataType string) {
	raw := r.raw("value")
	if raw == nil {
		r.complain("value", "required")
		return
	}
	var number float64
	var text string
	isNumber, isText := json.Unmarshal(raw, &number) == nil, json.Unmarshal(raw, &text) == nil
	switch dataType {
	case "NUMERIC":
		if !isNumber {
			r.complain("value", "expected a number")
		}
	case "BOOLEAN":
		if !isNumber || number != 0 && number != 1 {
			r.complain("value", "expected 0 or 1")
		}
	case "CATEGORICAL", correction:
		if !isText {
			r.complain("value", "expected text")
		}
	case "TEXT":
		if n := utf8.RuneCountInString(text); !isText || n == 0 || n > maxScoreText {
			r.complain("value", "expected text of 1 to %d characters", maxScoreText)
		}
	default:
		if !isNumber && !isText {
			r.complain("value", "expected a number or text")
		}
	}
}

func (r *reader) scoreTarget(dataType string) {
	trace, observation := r.id("traceId"), r.id("observationId")
	session, run := r.id("sessionId"), r.id("datasetRunId")
	targets := 0
	for _, id := range []string{trace, session, run} {
		if id != "" {
			targets++
		}
	}
	switch {
	case targets != 1:
		r.complain("traceId", "exactly one of traceId, sessionId and datasetRunId is needed")
	case observation != "" && trace == "":
		r.complain("observationId", "needs traceId")
	case dataType == correction && trace == "":
		r.complain("traceId", "a correction is about a trace or an observation")
	}
}
