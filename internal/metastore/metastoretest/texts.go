package metastoretest

import (
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

func testHostileTexts(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	texts := []string{
		"*", ">", "a.b.c", "..", "/", `\`, "'", `"`, "`", "%", "_", "$1", "?", ":", "-- x", "'; DROP TABLE access_keys; --",
		" ", " a", "a ", "\t\n\r", "0", "00", "1e3", "NULL", "null", "Ä", "A\u0308", "ä", "ß", "SS",
		"\U0001F600", "\U0001F468\u200d\U0001F469", "\u202e", "\ufeff", "\ufffd", "\x7f",
		strings.Repeat("x", metastore.MaxText), strings.Repeat("ü", metastore.MaxText/2),
	}
	for _, text := range texts {
		project := model.Project{ID: text, Name: text, Organization: seed.Organization}
		if err := store.CreateProject(t.Context(), project); err != nil {
			t.Errorf("CreateProject %.40q: %v", text, err)
			continue
		}
		hostile := key("", text)
		hostile.ID, hostile.PublicKey, hostile.Display = text, text, text
		if err := store.CreateKey(t.Context(), hostile); err != nil {
			t.Errorf("CreateKey %.40q: %v", text, err)
		}
	}
	at := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, text := range texts {
		want := key("", text)
		want.ID, want.PublicKey, want.Display = text, text, text
		want.Project = model.Project{ID: text, Name: text, Organization: seed.Organization}
		wantKey(t, store, want)
		if err := store.RevokeKey(t.Context(), text, at); err != nil {
			t.Errorf("RevokeKey %.40q: %v", text, err)
		}
		want.RevokedAt = at
		wantKey(t, store, want)
	}
	if got := mustKey(t, store, seed.Key.PublicKey); !got.RevokedAt.IsZero() {
		t.Error("a hostile id revoked another key")
	}
}

func testRefusedTexts(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	ctx, at := t.Context(), time.Now()
	texts := []string{"\x00", "a\x00", "\x00b", "a\x00b", "\xff", "a\xc3", "\xed\xa0\x80", strings.Repeat("x", metastore.MaxText+1)}
	for _, text := range texts {
		withID, withName, withOwner := seed.Project, seed.Project, seed.Project
		withID.ID, withName.Name, withOwner.Organization.ID = text, text, text
		keyID, keyProject, keyPublic, keyDisplay := key("a", seed.Project.ID), key("b", text), key("c", seed.Project.ID), key("d", seed.Project.ID)
		keyID.ID, keyPublic.PublicKey, keyDisplay.Display = text, text, text
		_, reading := store.KeyByPublic(ctx, text)
		refusals := map[string]error{
			"project id":           store.CreateProject(ctx, withID),
			"project name":         store.CreateProject(ctx, withName),
			"project organization": store.CreateProject(ctx, withOwner),
			"key id":               store.CreateKey(ctx, keyID),
			"key project":          store.CreateKey(ctx, keyProject),
			"public key":           store.CreateKey(ctx, keyPublic),
			"key display":          store.CreateKey(ctx, keyDisplay),
			"read by public key":   reading,
			"revoke by id":         store.RevokeKey(ctx, text, at),
		}
		for what, err := range refusals {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s %.20q = %v, want fault.Invalid", what, text, err)
			}
		}
	}
	if _, err := store.KeyByPublic(ctx, ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("read by an empty public key = %v, want fault.Invalid", err)
	}
}
