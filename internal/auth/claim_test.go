package auth

import "testing"

func TestClaim(t *testing.T) {
	t.Parallel()
	store, seed := planted(t)
	keys := New(store)
	known := Claim{PublicKey: "pk", Known: true, Valid: true, ProjectID: seed.Project.ID}
	for header, want := range map[string]Claim{
		basic("pk:s:ky"):     known,
		basic("pk:wrong"):    known, // it proves nothing
		"Bearer pk":          known,
		basic("gone:secret"): {PublicKey: "gone", Known: true, ProjectID: seed.Project.ID},
		basic("nobody:s:ky"): {PublicKey: "nobody"},
		basic("p\x00k:s:ky"): {},
		"":                   {},
		"Digest pk:s:ky":     {},
		"Basic " + "pk:s:ky": {},
	} {
		if got := keys.Claim(t.Context(), header); got != want {
			t.Errorf("%q: %+v, want %+v", header, got, want)
		}
	}
}
