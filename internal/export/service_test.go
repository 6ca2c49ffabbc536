package export_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sondehq/sonde/internal/export"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/jobs/jobstest"
)

func TestSettingsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, spoil := range map[string]func(*export.Input){
		"type":        func(in *export.Input) { in.Settings.Type = "FTP" },
		"azure":       func(in *export.Input) { in.Settings.Type = export.Azure },
		"bucket":      func(in *export.Input) { in.Settings.Bucket = "" },
		"place":       func(in *export.Input) { in.Settings.Bucket = "forbidden" },
		"prefix":      func(in *export.Input) { in.Settings.Prefix = "a" },
		"long prefix": func(in *export.Input) { in.Settings.Prefix = strings.Repeat("a", 400) + "/" },
		"NUL":         func(in *export.Input) { in.Settings.Region = "a\x00" },
		"not UTF-8":   func(in *export.Input) { in.Settings.Endpoint = "\xff" },
		"frequency":   func(in *export.Input) { in.Settings.Frequency = "yearly" },
		"mode":        func(in *export.Input) { in.Settings.Mode = "" },
		"no date":     func(in *export.Input) { in.Settings.Mode = export.FromCustomDate },
		"date of long ago": func(in *export.Input) {
			in.Settings.Mode, in.Settings.StartDate = export.FromCustomDate, time.Unix(-1, 0)
		},
		"file type":         func(in *export.Input) { in.Settings.FileType = "XML" },
		"legacy source":     func(in *export.Input) { in.Settings.Source = "LEGACY_TRACES_OBSERVATIONS" },
		"unknown source":    func(in *export.Input) { in.Settings.Source = "ALL" },
		"group":             func(in *export.Input) { in.Settings.FieldGroups = []string{"core", "more"} },
		"many groups":       func(in *export.Input) { in.Settings.FieldGroups = strings.Split(strings.Repeat("core ", 50), " ")[:50] },
		"no project":        func(in *export.Input) { in.ProjectID = "" },
		"project with NUL":  func(in *export.Input) { in.ProjectID = "a\x00" },
		"secret of a novel": func(in *export.Input) { novel := strings.Repeat("x", 5000); in.Secret = &novel },
	} {
		in := export.Input{ProjectID: w.prj, Settings: settings()}
		spoil(&in)
		if _, err := w.service.Upsert(t.Context(), w.org, in); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOrganizationsDoNotReachEachOthersExports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.configure(settings())
	_, upsert := w.service.Upsert(t.Context(), "other", export.Input{ProjectID: w.prj, Settings: settings()})
	_, status := w.service.Status(t.Context(), "other", w.prj)
	_, nobody := w.service.Upsert(t.Context(), w.org, export.Input{ProjectID: "nobody", Settings: settings()})
	for _, err := range []error{upsert, status, nobody, w.service.Delete(t.Context(), "other", w.prj)} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%v", err)
		}
	}
	if list, err := w.service.List(t.Context(), "other"); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if err := w.service.Delete(t.Context(), w.org, w.prj); err != nil {
		t.Error(err)
	}
	if _, err := w.service.Status(t.Context(), w.org, w.prj); !fault.Is(err, fault.NotFound) {
		t.Errorf("a deleted export: %v", err)
	}
}

func TestSchedulersStartOneJobPerWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.configure(settings())
	store := &jobstest.Memory{}
	service := jobs.NewService(store, map[string]jobs.Handler{export.Kind: w.handler})
	errs := make(chan error, 5)
	look := func() {
		for range 5 { // as many nodes
			go func() {
				errs <- export.NewScheduler(w.meta, service, w.horizon, slog.New(slog.DiscardHandler)).Look(t.Context())
			}()
		}
		for range 5 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	}
	count := func() (n int) {
		list, err := service.List(t.Context(), w.prj, 100)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	look()
	if n := count(); n != 1 {
		t.Fatalf("%d jobs for one window", n)
	}
	if _, err := w.run(""); err != nil {
		t.Fatal(err)
	}
	look()
	if n := count(); n != 1 {
		t.Errorf("%d jobs while nothing is due", n)
	}
}

// TestWindowOfADeadNode loses a node between its claim and its job.
func TestWindowOfADeadNode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.configure(settings())
		service := jobs.NewService(&jobstest.Memory{}, map[string]jobs.Handler{export.Kind: w.handler})
		look := func(list export.Jobs) int {
			if err := export.NewScheduler(w.meta, list, w.horizon, slog.New(slog.DiscardHandler)).Look(t.Context()); err != nil {
				t.Fatal(err)
			}
			all, err := service.List(t.Context(), w.prj, 100)
			if err != nil {
				t.Fatal(err)
			}
			return len(all)
		}
		if n := look(dying{service}); n != 0 {
			t.Fatalf("%d jobs of a node that died", n)
		}
		if n := look(service); n != 0 {
			t.Errorf("%d jobs while the claim holds", n)
		}
		time.Sleep(2 * time.Minute)
		if n := look(service); n != 1 {
			t.Errorf("%d jobs after the claim", n)
		}
	})
}

// dying starts no job.
type dying struct{ export.Jobs }

func (dying) Create(context.Context, string, string, json.RawMessage) (jobs.Job, error) {
	return jobs.Job{}, errors.New("died")
}

func TestParametersThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, parameters := range []string{
		`[]`, `{"from":"2026-01-01T00:00:00Z"}`, `{"from":"2026-01-02T00:00:00Z","to":"2026-01-01T00:00:00Z"}`, `{"a":1}`, `{"from":1,"to":2}`,
		`{"from":"1960-01-01T00:00:00Z","to":"2026-01-01T00:00:00Z"}`, `{"from":"2026-01-01T00:00:00Z","to":"9999-01-01T00:00:00Z"}`, `"`,
	} {
		if _, err := (&export.Handler{}).Check([]byte(parameters)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", parameters, err)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, parameters []byte) {
		checked, err := (&export.Handler{}).Check(parameters)
		if err != nil {
			var refused *fault.Fault
			if !errors.As(err, &refused) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		if again, err := (&export.Handler{}).Check(checked); err != nil || string(again) != string(checked) {
			t.Fatalf("%s is kept as %s, which reads as %s, %v", parameters, checked, again, err)
		}
	})
}
