package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/seal"
)

// keyFile is the file in the data directory that holds the encryption key when none is configured.
const keyFile = "encryption.key"

// openSecrets makes the box for secrets that we keep for projects. It refuses a key that does not open what is
// stored already, before anybody stores something that the others cannot read.
func (n *node) openSecrets(ctx context.Context) (err error) {
	if n.secrets, err = openBox(ctx, n.config, n.meta); err != nil {
		return err
	}
	if n.config.EncryptionKey == "" && n.config.Metadata.URL != "" {
		n.logger.WarnContext(ctx, "other nodes need the encryption key of this one; see docs/operate/secrets.md", "file", n.dir(keyFile))
	}
	return nil
}

func openBox(ctx context.Context, c *config.Config, checks metastore.KeyChecks) (*seal.Box, error) {
	key, made, err := encryptionKey(c)
	if err != nil {
		return nil, err
	}
	box, err := seal.NewBox(key)
	if err != nil {
		return nil, err
	}
	// Nobody else has the database, and nothing is sealed: a restored server whose key is elsewhere gets a new one.
	renew := made && c.Metadata.URL == ""
	err = checkKey(ctx, box, checks, renew)
	if errors.Is(err, errOtherKey) && c.EncryptionKey == "" && !made {
		if _, statErr := os.Stat(filepath.Join(c.DataDir, nextKeyFile)); statErr == nil {
			err = fmt.Errorf("a rotation of the encryption key was cut off: run `sonde secrets rotate` again, it goes on with %s: %w", nextKeyFile, err)
		}
	}
	if errors.Is(err, errOtherKey) && made {
		err = errors.Join(err, os.Remove(filepath.Join(c.DataDir, keyFile))) // or the next start would take it for the right one
	}
	if err != nil {
		return nil, err
	}
	return box, nil
}

var errOtherKey = errors.New("the secrets in the metadata database were sealed with another key than this node has: " +
	"set --encryption-key (SONDE_ENCRYPTION_KEY) to the one that all nodes share; a node without that setting keeps its key in " +
	"the file " + keyFile + " of its data directory; see docs/operate/secrets.md")

// checkKey lets the first node leave something sealed with its key, which every other must be able to open.
// With renew, a key that does not takes the place of the first, unless something is sealed with that.
func checkKey(ctx context.Context, box *seal.Box, checks metastore.KeyChecks, renew bool) error {
	place := seal.Place("key_checks", "encryption")
	fresh, err := box.Seal([]byte("sonde"), place)
	if err != nil {
		return err
	}
	kept, err := checks.KeyCheck(ctx, "encryption", fresh)
	if err != nil {
		return err
	}
	if _, err = box.Open(kept, place); err != nil && renew && checks.RenewKeyCheck(ctx, "encryption", fresh) == nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w (this key: %s): %w", errOtherKey, box.KeyID(), err)
	}
	return nil
}

// encryptionKey is the configured key, else the one in the data directory, which is made there when there is none.
func encryptionKey(c *config.Config) (key []byte, made bool, err error) {
	if text := c.EncryptionKey.Reveal(); text != "" {
		if key, err = seal.ParseKey(text); err != nil {
			return nil, false, fmt.Errorf("encryption-key %w", err)
		}
		return key, false, nil
	}
	path := filepath.Join(c.DataDir, keyFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key = seal.NewKey()
		return key, true, writeKey(path, key)
	}
	if err != nil {
		return nil, false, fmt.Errorf("read the encryption key: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, fmt.Errorf("read the encryption key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, false, fmt.Errorf("others than the owner may read or write %s; run: chmod 600 %s", path, path)
	}
	if key, err = seal.ParseKey(string(text)); err != nil {
		return nil, false, fmt.Errorf("the key in %s %w; put the right one there", path, err)
	}
	return key, false, nil
}

// writeKey puts a key on disk, whole or not at all, before anything is sealed with it.
func writeKey(path string, key []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".key-") // its mode is 0600
	if err != nil {
		return fmt.Errorf("write the encryption key: %w", err)
	}
	_, err = file.WriteString(seal.KeyText(key) + "\n")
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write the encryption key: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a file's new name last.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("write the encryption key: %w", err)
	}
	if err := cmp.Or(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("write the encryption key: %w", err)
	}
	return nil
}
