package backup_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/backup"
	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/blob/blobtest"
)

// chain is backups beside each other, by their names.
type chain map[string]*blobtest.Memory

func (c chain) from(place string) (blob.Store, error) {
	store, ok := c[strings.TrimPrefix(place, "../")]
	if !ok {
		return nil, errors.New("it is gone")
	}
	return store, nil
}

func (c chain) make(t *testing.T, name, onto string, from backup.Sources) backup.Manifest {
	t.Helper()
	if onto != "" {
		base, err := backup.Open(t.Context(), c[onto], c.from)
		if err != nil {
			t.Fatal(err)
		}
		from.Base = &backup.Base{Backup: base, Place: "../" + onto}
	}
	c[name] = new(blobtest.Memory)
	manifest, err := backup.Make(t.Context(), from, c[name], func(backup.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	return manifest
}

func keysOf(t *testing.T, store *blobtest.Memory) (keys []string) {
	t.Helper()
	if err := store.List(t.Context(), "", func(key string) error { keys = append(keys, key); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	return keys
}

func TestBackupOntoAnotherWritesWhatChanged(t *testing.T) {
	t.Parallel()
	from, store := everything(t)
	c := chain{}
	first := c.make(t, "monday", "", from)
	if first.Format != 1 || first.Needs != nil || first.Written != first.Bytes {
		t.Errorf("a whole backup that older programs could not read: %+v", first)
	}
	store.texts["observations/1.tar"] += "another row"
	store.names = slices.Insert(store.names, 2, "observations/2.tar")
	store.texts["observations/2.tar"] = "the next day"
	if err := from.Blobs.Put(t.Context(), "media/c", strings.NewReader("bytes of media/c")); err != nil {
		t.Fatal(err)
	}
	c.make(t, "tuesday", "monday", from)
	want := []string{
		"blobs/media/c", "deletes.jsonl.zst", "files.jsonl.zst", "log.zst", "manifest.json", "metadata.jsonl.zst", "secrets/encryption.key",
		"store/observations/1.tar", "store/observations/2.tar",
	}
	if diff := cmp.Diff(want, keysOf(t, c["tuesday"])); diff != "" {
		t.Errorf("written on Tuesday: %s", diff)
	}
	if err := from.Blobs.Delete(t.Context(), "media/a"); err != nil {
		t.Fatal(err)
	}
	third := c.make(t, "wednesday", "tuesday", from)
	if diff := cmp.Diff([]string{"../monday", "../tuesday"}, slices.Sorted(slices.Values(third.Needs))); diff != "" || third.Format != 2 || third.Written >= third.Bytes {
		t.Errorf("%+v: %s", third, diff)
	}

	got, err := restoreChain(t, c["wednesday"], c.from)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(store.texts, got.store.texts); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"media/a/b", "media/c", "oversize/x"}, keysOf(t, got.blobs)); diff != "" {
		t.Error(diff)
	}
	damageElsewhereIsFound(t, c)
}

// damageElsewhereIsFound: a file that changed, and a backup that is gone, are found although they lie in another place.
func damageElsewhereIsFound(t *testing.T, c chain) {
	t.Helper()
	damaged := chain{"wednesday": c["wednesday"], "tuesday": c["tuesday"], "monday": new(blobtest.Memory)}
	for _, key := range keysOf(t, c["monday"]) {
		text := read(t, c["monday"], key)
		if key == "blobs/oversize/x" {
			text = strings.ToUpper(text)
		}
		if err := damaged["monday"].Put(t.Context(), key, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := restoreChain(t, c["wednesday"], damaged.from); !errors.Is(err, backup.ErrDamaged) || !strings.Contains(err.Error(), "../monday") {
		t.Errorf("restore with a changed file: %v", err)
	}
	delete(damaged, "monday")
	if _, err := restoreChain(t, c["wednesday"], damaged.from); !errors.Is(err, backup.ErrDamaged) || !strings.Contains(err.Error(), "needs the backup in ../monday") {
		t.Errorf("restore without what it needs: %v", err)
	}
}

func TestDeletesAreNothingToBuildOn(t *testing.T) {
	t.Parallel()
	from, _ := everything(t)
	c := chain{"deletes": new(blobtest.Memory)}
	if _, err := backup.MakeDeletes(t.Context(), from, c["deletes"], func(backup.Progress) {}); err != nil {
		t.Fatal(err)
	}
	base, err := backup.Open(t.Context(), c["deletes"], c.from)
	if err != nil {
		t.Fatal(err)
	}
	from.Base = &backup.Base{Backup: base, Place: "../deletes"}
	if _, err := backup.Make(t.Context(), from, new(blobtest.Memory), func(backup.Progress) {}); err == nil || !strings.Contains(err.Error(), "--onto") {
		t.Errorf("Make = %v", err)
	}
}

func TestAnswersThatMoveAreToldApart(t *testing.T) {
	t.Parallel()
	from, _ := everything(t)
	round := 0
	from.Answers = func(_ context.Context, each func(backup.Answer) error) error {
		round++
		list := []backup.Answer{{Owner: "p", Path: "/still", Status: 200, SHA256: "a"}, {Owner: "p", Path: "/moves", Status: 200, SHA256: string(rune('a' + round))}}
		if round == 2 {
			list = append(list, backup.Answer{Owner: "p", Path: "/new", Status: 200, SHA256: "n"})
		} else {
			list = append(list, backup.Answer{Owner: "p", Path: "/old", Status: 200, SHA256: "o"})
		}
		for _, a := range list {
			if err := each(a); err != nil {
				return err
			}
		}
		return nil
	}
	c := chain{}
	if manifest := c.make(t, "one", "", from); manifest.Format != 2 {
		t.Errorf("%+v", manifest)
	}
	b, err := backup.Open(t.Context(), c["one"], c.from)
	if err != nil {
		t.Fatal(err)
	}
	want, err := b.Answers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	moving := map[string]bool{}
	for _, a := range want {
		moving[a.Path] = a.Moving
	}
	if diff := cmp.Diff(map[string]bool{"/still": false, "/moves": true, "/new": true, "/old": true}, moving); diff != "" {
		t.Error(diff)
	}
	if _, err := restoreChain(t, c["one"], c.from); err != nil {
		t.Error(err)
	}
	still := backup.Answer{Owner: "p", Path: "/still", Status: 200, SHA256: "a"}
	other := backup.Answer{Owner: "q", Path: "/more", Status: 200, SHA256: "m"}
	if got := backup.Compare(want, []backup.Answer{still}); got.Failed() != 0 || got.Same() != 1 || got.Owners[0].Moving != 3 {
		t.Errorf("the same: %+v", got)
	}
	if got := backup.Compare(want, nil); got.Failed() != 1 || got.Different[0].Want != still {
		t.Errorf("not answered: %+v", got)
	}
	if got := backup.Compare(want, []backup.Answer{still, other}); got.Failed() != 1 || got.Different[0].Got != other {
		t.Errorf("of a project that nobody knew: %+v", got)
	}
	still.SHA256 = "b"
	if got := backup.Compare(want, []backup.Answer{still}); got.Failed() != 1 {
		t.Errorf("another answer: %+v", got)
	}
}
