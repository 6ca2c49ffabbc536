package datasets_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// TestSchemaAndItemsAtOnce: schemas are set while items are written. Whatever was let through fits the
// schema that counts in the end.
func TestSchemaAndItemsAtOnce(t *testing.T) {
	t.Parallel()
	for range 20 {
		s, _ := newService(t)
		mustSave(t, s, datasets.Change{Name: "d"})
		var group sync.WaitGroup
		var setting error
		stored := make([]error, 8)
		group.Go(func() {
			_, setting = s.Save(t.Context(), project, datasets.Change{Name: "d", InputSchema: []byte(`{"type":"string"}`)})
		})
		for i := range stored {
			group.Go(func() {
				_, stored[i] = s.SaveItem(t.Context(), project, datasets.ItemChange{DatasetName: "d", Input: []byte("7")})
			})
		}
		group.Wait()
		count, err := s.CountItems(t.Context(), project, datasets.ItemList{Page: 1, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if setting == nil && count > 0 {
			t.Fatalf("%d items break the schema that was set", count)
		}
		for _, err := range append(stored, setting) {
			if err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("%v, want nothing but fault.Invalid", err)
			}
		}
	}
}

// TestManyWriters: no writer of one item is turned away.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	mustSave(t, s, datasets.Change{Name: "d"})
	begins := make([]time.Time, 50)
	var group sync.WaitGroup
	for i := range begins {
		group.Go(func() {
			if i%10 == 9 {
				if err := s.DeleteItem(t.Context(), project, "i"); err != nil && !fault.Is(err, fault.NotFound) {
					t.Error(err)
				}
				return
			}
			item, err := s.SaveItem(t.Context(), project, datasets.ItemChange{ID: new("i"), DatasetName: "d", Input: fmt.Append(nil, i)})
			if err != nil {
				t.Error(err)
			}
			begins[i] = item.ValidFrom
		})
	}
	group.Wait()
	seen := map[time.Time]bool{}
	for _, at := range begins {
		if !at.IsZero() && seen[at] {
			t.Errorf("two versions begin at %v", at)
		}
		seen[at] = true
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	const one, two = "@@@langfuseMedia:type=image/png|id=there|source=bytes@@@", "@@@langfuseMedia:type=a/b|id=x|source=base64_data_uri@@@"
	found := datasets.ReferencesOf(model.DatasetItem{
		Input: `{"n":1e999,"z":["` + one + `",{"a.b":"x ` + two + one + `"}],"0":"` + one + `"}`, ExpectedOutput: `"` + one + `"`,
		Metadata: `{"broken":"@@@langfuseMedia:type=a|source=b@@@"}`,
	})
	want := []datasets.Reference{
		{Field: "input", Text: one, Path: "$['0']", MediaID: "there"},
		{Field: "input", Text: one, Path: "$['z'][0]", MediaID: "there"},
		{Field: "input", Text: two, Path: "$['z'][1]['a.b']", MediaID: "x"},
		{Field: "input", Text: one, Path: "$['z'][1]['a.b']", MediaID: "there"},
		{Field: "expectedOutput", Text: one, Path: "$", MediaID: "there"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	s, _ := newService(t)
	mustSave(t, s, datasets.Change{Name: "d"})
	for input, ok := range map[string]bool{`"` + one + `"`: true, `["` + two + `"]`: false} {
		_, err := s.SaveItem(t.Context(), project, datasets.ItemChange{DatasetName: "d", Input: []byte(input)})
		if (err == nil) != ok || (!ok && !fault.Is(err, fault.Invalid)) {
			t.Errorf("%s: %v", input, err)
		}
	}
}

// FuzzItemTexts: what is stored is JSON without control characters, and says what was sent otherwise.
func FuzzItemTexts(f *testing.F) {
	for _, seed := range []string{`"a\u0000b\b\f\n\u007f"`, `{"\u0001k":["\\u0000","\\\u0000"]}`, "\"\x7f\xff\"", `1e400`, `"\ud800"`, ` [ 1 , 2 ] `, `null`, `"\u2028<&>"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		if !json.Valid([]byte(input)) {
			return
		}
		s, _ := newService(t)
		mustSave(t, s, datasets.Change{Name: "d"})
		item, err := s.SaveItem(t.Context(), project, datasets.ItemChange{DatasetName: "d", Input: []byte(input)})
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("SaveItem: %v", err)
			}
			return
		}
		var value any
		decoder := json.NewDecoder(strings.NewReader(item.Input))
		decoder.UseNumber()
		if item.Input != "" && (!utf8.ValidString(item.Input) || decoder.Decode(&value) != nil) {
			t.Fatalf("%q is stored as %q", input, item.Input)
		}
		if control(value) {
			t.Errorf("%q is stored as %q", input, item.Input)
		}
		again, err := s.SaveItem(t.Context(), project, datasets.ItemChange{ID: &item.ID, DatasetName: "d", Input: []byte(item.Input)})
		if err != nil || again.Input != item.Input {
			t.Errorf("%q becomes %q, %v", item.Input, again.Input, err)
		}
	})
}

// control reports whether a text in a value has a control character.
func control(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f })
	case []any:
		return slices.ContainsFunc(v, control)
	case map[string]any:
		for name, member := range v {
			if control(name) || control(member) {
				return true
			}
		}
	}
	return false
}
