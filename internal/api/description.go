package api

import (
	"bytes"
	_ "embed" // for openapi.yaml
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
)

//go:embed openapi.yaml
var description []byte

// serverLine is the line of openapi.yaml that says where the paths begin.
const serverLine = "  - url: /\n"

// Description returns the OpenAPI description of the API as it is served under a base path.
func Description(basePath string) []byte {
	if basePath == "" {
		return description
	}
	return bytes.Replace(description, []byte(serverLine), []byte("  - url: "+basePath+"\n"), 1)
}

// description serves GET /api/openapi.yaml and /generated/api/openapi.yml.
func (s *server) description(w http.ResponseWriter, _ *http.Request, _ auth.Principal) error {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(Description(s.BasePath)) // an error means that the caller is gone
	return nil
}
