package api

import (
	"net/http"
)

// codedBody is an error of the routes of evaluators: a code for programs instead of a name.
type codedBody struct {
	Message string `json:"message"`
	Code    string `json:"code"`
	Details any    `json:"details,omitempty"`
}

type codedDetails struct {
	Issues []issue `json:"issues,omitempty"`
}

// codes are the words that clients know; a word that they do not know would hide the error from them.
var codes = map[int]string{
	http.StatusBadRequest:            "invalid_body",
	http.StatusUnauthorized:          "authentication_failed",
	http.StatusForbidden:             "access_denied",
	http.StatusNotFound:              "resource_not_found",
	http.StatusMethodNotAllowed:      "method_not_allowed",
	http.StatusConflict:              "conflict",
	http.StatusPreconditionFailed:    "invalid_request",
	http.StatusRequestEntityTooLarge: "invalid_body",
	http.StatusTooManyRequests:       "rate_limited",
	http.StatusUnprocessableEntity:   "invalid_request",
}

// failCoded answers with a code.
func (s *server) failCoded(w http.ResponseWriter, r *http.Request, err error) {
	status, body := s.failed(w, r, err)
	answer := codedBody{Message: body.Message, Code: codes[status], Details: body.Details}
	if answer.Code == "" {
		answer.Code = "internal_error"
	}
	if issues, ok := body.Error.([]issue); ok {
		answer.Message, answer.Details = issues[0].Message, codedDetails{issues}
	}
	if status == http.StatusBadRequest && (r.Method == http.MethodGet || r.Method == http.MethodDelete) {
		answer.Code = "invalid_query"
	}
	writeJSON(w, status, answer)
}
