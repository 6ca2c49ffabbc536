package datasets_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

func change(id, input string) datasets.ItemChange {
	return datasets.ItemChange{ID: &id, Input: []byte(input)}
}

func total(t *testing.T, s *datasets.Service) int {
	t.Helper()
	count, err := s.CountItems(t.Context(), project, datasets.ItemList{AnyStatus: true, Page: 1, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

func TestBatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	d := mustSave(t, s, datasets.Change{Name: "d", InputSchema: []byte(`{"type":"object","properties":{"a/b":{"type":"array","items":{"type":"integer"}}}}`)})
	other := mustSave(t, s, datasets.Change{Name: "other"})
	if _, err := s.SaveItems(t.Context(), project, other.ID, []datasets.ItemChange{change("theirs", `1`)}, false); err != nil {
		t.Fatal(err)
	}
	archived := model.ItemStatus("GONE")
	wrongStatus := change("status", `{}`)
	wrongStatus.Status = &archived
	batch := []datasets.ItemChange{
		change("good", `{}`), change("bad", `{"a/b":[1,"x",2,"y"]}`), change("good", `{"again":1}`), change("theirs", `{}`), change(strings.Repeat("i", 256), `{}`),
		wrongStatus, change("media", `"@@@langfuseMedia:type=image/png|id=gone|source=bytes@@@"`),
	}
	want := []string{
		`1 bad input /a~1b/1 got string, want integer`, `1 bad input /a~1b/3 got string, want integer`, `2 good id  is that of item 0 of the batch, too`,
		`3 theirs id  is that of an item of another dataset`, `4  id  must not be longer than 255 characters`,
		`5 status status  must be one of ACTIVE, ARCHIVED`, `6 media input  refers to media "gone", which is not there`, `6 media input  got string, want object`,
	}
	dry, err := s.SaveItems(t.Context(), project, d.ID, batch, true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range dry.Failures {
		got = append(got, fmt.Sprint(f.Index, " ", f.ID, " ", f.Field, " ", f.Path, " ", f.Message))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if dry.Created != 1 || dry.Changed != 0 {
		t.Errorf("%d would be created and %d changed, want the good one alone", dry.Created, dry.Changed)
	}
	_, err = s.SaveItems(t.Context(), project, d.ID, batch, false)
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "items.1.input at /a~1b/1: got string, want integer") {
		t.Errorf("writing it: %v", err)
	}
	if count := total(t, s); count != 1 {
		t.Errorf("%d items after a dry run and a refusal, want the one from before", count)
	}
	for size, batch := range map[string][]datasets.ItemChange{"none": nil, "too many": make([]datasets.ItemChange, datasets.MaxBatch+1)} {
		if _, err := s.SaveItems(t.Context(), project, d.ID, batch, true); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", size, err)
		}
	}
	if _, err := s.SaveItems(t.Context(), "project-z", d.ID, batch[:1], false); !fault.Is(err, fault.NotFound) {
		t.Errorf("of another project: %v", err)
	}
}

// TestBatchAgain: what was written once is not written again, so that an import can be repeated.
func TestBatchAgain(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	d := mustSave(t, s, datasets.Change{Name: "d"})
	batch := []datasets.ItemChange{change("a", `{"n": 12345678901234567890}`), change("b", `"x"`), {Input: []byte(`1`)}}
	write := func(batch []datasets.ItemChange) string {
		t.Helper()
		got, err := s.SaveItems(t.Context(), project, d.ID, batch, false)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(got.Created, got.Changed, got.Unchanged)
	}
	if got := write(batch); got != "3 0 0" {
		t.Errorf("first: %s", got)
	}
	if times, err := s.ItemTimes(t.Context(), project, d.ID, 10); err != nil || len(times) != 1 || times[0].Written != 3 {
		t.Errorf("moments of one batch: %v, %v", times, err)
	}
	batch[1] = change("b", `"y"`)
	if got := write(batch[:2]); got != "0 1 1" {
		t.Errorf("again with one changed: %s", got)
	}
	if err := s.DeleteItem(t.Context(), project, "a"); err != nil {
		t.Fatal(err)
	}
	if got := write(batch[:2]); got != "1 0 1" {
		t.Errorf("after a delete: %s", got)
	}
}

// TestVersionsOfBatches: every batch that changes an item makes one version of it.
func TestVersionsOfBatches(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	d := mustSave(t, s, datasets.Change{Name: "d"})
	for _, input := range []string{`"x"`, `"y"`, `"y"`} {
		if _, err := s.SaveItems(t.Context(), project, d.ID, []datasets.ItemChange{change("a", `1`), change("b", input)}, false); err != nil {
			t.Fatal(err)
		}
	}
	versions, count, err := s.Versions(t.Context(), project, "b", 1, 10)
	if err != nil || count != 2 || len(versions) != 2 || versions[0].Input != "" || !versions[1].ValidTo.Equal(versions[0].ValidFrom) {
		t.Errorf("versions of b: %d, %v, %v", count, versions, err)
	}
	for at, want := range map[time.Time]string{versions[0].ValidFrom: `"y"`, versions[1].ValidFrom: `"x"`, versions[0].ValidFrom.Add(-time.Millisecond): `"x"`} {
		if i, err := s.Version(t.Context(), project, "b", at); err != nil || i.Input != want {
			t.Errorf("at %v: %q, %v, want %q", at, i.Input, err, want)
		}
	}
	if _, err := s.Version(t.Context(), project, "b", versions[1].ValidFrom.Add(-time.Hour)); !fault.Is(err, fault.NotFound) {
		t.Errorf("before it was there: %v", err)
	}
	if _, _, err := s.Versions(t.Context(), "project-z", "b", 1, 10); !fault.Is(err, fault.NotFound) {
		t.Errorf("of another project: %v", err)
	}
}

// TestBatchesAndSchemas: no batch that was checked against an older schema is written.
func TestBatchesAndSchemas(t *testing.T) {
	t.Parallel()
	for range 20 {
		s, _ := newService(t)
		d := mustSave(t, s, datasets.Change{Name: "d"})
		var group sync.WaitGroup
		var setting, writing error
		group.Go(func() {
			_, setting = s.Save(t.Context(), project, datasets.Change{Name: "d", InputSchema: []byte(`{"type":"string"}`)})
		})
		group.Go(func() {
			_, writing = s.SaveItems(t.Context(), project, d.ID, []datasets.ItemChange{change("a", `1`), change("b", `2`)}, false)
		})
		group.Wait()
		if (setting == nil) == (writing == nil) || total(t, s) == 1 {
			t.Fatalf("schema: %v, batch: %v, %d items", setting, writing, total(t, s))
		}
	}
}

func TestSearchFindsEveryWayOfWriting(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	d := mustSave(t, s, datasets.Change{Name: "d"})
	for id, input := range map[string]string{"plain": `"Grüße, \"Ada\" 😀"`, "escaped": `"Gr\u00fc\u00dfe, \"Ada\" \ud83d\ude00"`, "member": `{"Ada":1}`} {
		if _, err := s.SaveItems(t.Context(), project, d.ID, []datasets.ItemChange{change(id, input)}, false); err != nil {
			t.Fatal(err)
		}
	}
	for search, want := range map[string]int{"rüße": 2, `"Ada"`: 3, "ada": 3, "😀": 2, `"Ada":1`: 1, "nowhere": 0, "member": 1} {
		count, err := s.CountItems(t.Context(), project, datasets.ItemList{Dataset: d, Search: search, Page: 1, Limit: 10})
		if err != nil || count != want {
			t.Errorf("%s: %d, %v, want %d", search, count, err, want)
		}
	}
}
