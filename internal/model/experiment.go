package model

import (
	"crypto/sha256"
	"encoding/hex"
)

// ExperimentID derives the id of an experiment on a dataset. Clients derive the same one, so that
// a run with the same name adds to the same experiment; never change it.
func ExperimentID(projectID, datasetID, runName string) string {
	text := []byte("[")
	for i, part := range []string{"langfuse-experiment-v1", projectID, datasetID, runName} {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendScriptString(text, part)
	}
	sum := sha256.Sum256(append(text, ']'))
	return hex.EncodeToString(sum[:8])
}

// appendScriptString appends s as JSON.stringify writes it, which escapes less than encoding/json.
func appendScriptString(dst []byte, s string) []byte {
	const short = "btn\x00fr" // of the control characters 8 to 13
	dst = append(dst, '"')
	for i := range len(s) {
		switch b := s[i]; {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b >= '\b' && b <= '\r' && b != '\v':
			dst = append(dst, '\\', short[b-'\b'])
		case b < ' ':
			dst = append(dst, '\\', 'u', '0', '0', "01"[b>>4], "0123456789abcdef"[b&15])
		default:
			dst = append(dst, b)
		}
	}
	return append(dst, '"')
}
