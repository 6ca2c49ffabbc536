package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/importer/scripted"
)

// An export that is cut short again and again writes every row once, with the whole of its metadata, and the file shows up only
// when it is whole.
func TestExportGoesOn(t *testing.T) {
	t.Parallel()
	script := &scripted.Server{Data: scripted.Data{Observations: 3000, Newer: true, Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}, BreakEvery: 40}
	requests, refuses := 0, true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests++; refuses && requests%13 == 0 {
			w.WriteHeader(http.StatusBadRequest) // which is final
			return
		}
		script.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	output := filepath.Join(t.TempDir(), "rows.jsonl")
	c := ExportConfig{From: Server{URL: server.URL, PublicKey: scripted.PublicKey, SecretKey: scripted.SecretKey}, Kind: kindObservations, Output: output}
	interrupted := 0
	for {
		_, err := Export(t.Context(), c, nil, func(Progress) {})
		if err == nil {
			break
		}
		if interrupted++; interrupted > 50 {
			t.Fatal(err)
		}
		if _, err := os.Stat(output); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("the file is there before it is whole: %v", err)
		}
		writeHalf(t, output+".part")
	}
	text, err := os.ReadFile(output)
	if err != nil || interrupted == 0 {
		t.Fatal(err, interrupted)
	}
	if seen := rowsOf(t, text); len(seen) != 3000 || strings.Count(string(text), "\n") != 3000 {
		t.Errorf("%d rows in %d lines", len(seen), strings.Count(string(text), "\n"))
	}
	for _, left := range []string{".part", ".state", ".state.new"} {
		if _, err := os.Stat(output + left); err == nil {
			t.Errorf("%s is left", left)
		}
	}

	var out bytes.Buffer
	c.Output, c.Kind = "", kindScores
	refuses = false
	if rows, err := Export(t.Context(), c, &out, func(Progress) {}); err != nil || rows != 300 || strings.Count(out.String(), "\n") != 300 {
		t.Errorf("%d scores in %d lines, %v", rows, strings.Count(out.String(), "\n"), err)
	}
}

// writeHalf adds what an export wrote and did not note before it died; the next one cuts it off.
func writeHalf(t *testing.T, name string) {
	t.Helper()
	part, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.WriteString(`{"id":"half`); err != nil {
		t.Fatal(err)
	}
	if err := part.Close(); err != nil {
		t.Fatal(err)
	}
}

// rowsOf counts rows by id, and looks whether their metadata is whole.
func rowsOf(t *testing.T, text []byte) map[string]int {
	t.Helper()
	seen := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var row struct {
			ID       string
			Metadata map[string]any
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%v in %.100s", err, lines.Text())
		}
		seen[row.ID]++
		if long, ok := row.Metadata["long"].(string); ok && len(long) < 250 {
			t.Errorf("%s has %d characters of a long value", row.ID, len(long))
		}
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	return seen
}
