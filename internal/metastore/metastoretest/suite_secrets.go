package metastoretest

import (
	"bytes"
	"testing"

	"github.com/sondehq/sonde/internal/metastore"
)

func testSecrets(t *testing.T, store metastore.Store) {
	const callers = 8
	secrets := make([][]byte, callers)
	for _, err := range atOnce(callers, func(i int) (err error) {
		secrets[i], err = store.Secret(t.Context(), "receipts")
		return err
	}) {
		wantError(t, "secret", err, nil)
	}
	for _, secret := range secrets {
		if len(secret) != metastore.SecretBytes || !bytes.Equal(secret, secrets[0]) {
			t.Fatalf("secrets differ or are short: %x and %x", secret, secrets[0])
		}
	}
	other, err := store.Secret(t.Context(), "uploads")
	if err != nil || bytes.Equal(other, secrets[0]) {
		t.Errorf("two names share a secret, or %v", err)
	}
	if _, err := store.Secret(t.Context(), ""); err == nil {
		t.Error("a secret without a name")
	}
}
