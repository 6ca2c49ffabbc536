package app

import (
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

// secretsCommand looks after what is sealed in the metadata database.
type secretsCommand struct {
	DataDir       string          `default:"sonde-data" env:"SONDE_DATA_DIR" placeholder:"DIR" help:"Data directory of the server; ${default} unless given."`
	Metadata      config.Metadata `embed:"" prefix:"metadata-" envprefix:"SONDE_METADATA_"`
	EncryptionKey config.Secret   `env:"SONDE_ENCRYPTION_KEY" placeholder:"KEY" help:"The key that servers have now; the file in the data directory unless given."`

	Rotate secretsRotateCommand `cmd:"" help:"Seal everything with another key, while no server runs."`
}

type secretsRotateCommand struct {
	NewKey config.Secret `env:"SONDE_NEW_ENCRYPTION_KEY" placeholder:"KEY" help:"The key to seal with, 32 bytes in hex or base64. Needed when servers get theirs by SONDE_ENCRYPTION_KEY; else one is made and put into the data directory."`
}

// nextKeyFile holds the next key from before anything is sealed with it until it is the key: whenever a rotation is cut off, a
// second one finds it.
const nextKeyFile = keyFile + ".next"

// Run seals everything again.
func (c *secretsRotateCommand) Run(ctx context.Context, std streams, secrets *secretsCommand) (err error) {
	n := &node{config: &config.Config{DataDir: secrets.DataDir, Metadata: secrets.Metadata, EncryptionKey: secrets.EncryptionKey}}
	if err := n.hasMetadata(); err != nil {
		return err
	}
	if err := n.openDataDir(ctx); err != nil { // a server that runs would go on with the old key
		return err
	}
	defer func() { err = errors.Join(err, n.closeDataDir(ctx)) }()
	if err := n.connectMetadata(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.meta.Close()) }()
	changed, next, err := c.rotate(ctx, n.config, n.meta)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%d secrets are sealed with key %s now.\n", changed, next.KeyID())
	if secrets.EncryptionKey != "" {
		fmt.Fprintln(std.out, "Set SONDE_ENCRYPTION_KEY to the new key on every server, then start them.")
	} else {
		fmt.Fprintf(std.out, "It is in %s. Keep a copy apart from your backups, then start the server.\n", n.dir(keyFile))
	}
	return nil
}

// rotate seals everything with the next key, which is on disk before and takes the place of the old one afterwards.
func (c *secretsRotateCommand) rotate(ctx context.Context, settings *config.Config, checks metastore.KeyChecks) (int, *seal.Box, error) {
	key, pending, err := c.next(settings)
	if err != nil {
		return 0, nil, err
	}
	next, err := seal.NewBox(key)
	if err != nil {
		return 0, nil, err
	}
	old, err := oldBox(settings)
	if err != nil {
		return 0, nil, err
	}
	changed, err := checks.Reseal(ctx, func(place []string, sealed []byte) ([]byte, error) {
		plain, err := old.Open(sealed, seal.Place(place...))
		if errors.Is(err, seal.ErrOtherKey) {
			plain, err = next.Open(sealed, seal.Place(place...)) // by a rotation that was cut off afterwards
		}
		if err != nil {
			return nil, fmt.Errorf("what is kept for %v opens neither with key %s nor with %s: %w", place, old.KeyID(), next.KeyID(), err)
		}
		return next.Seal(plain, seal.Place(place...))
	})
	if err == nil && pending {
		err = os.Rename(filepath.Join(settings.DataDir, nextKeyFile), filepath.Join(settings.DataDir, keyFile))
	}
	if err == nil && pending {
		err = syncDir(settings.DataDir)
	}
	return changed, next, err
}

// next is the key to seal with: the one given, the one that a rotation that was cut off has left, or a new one, which is on
// disk then.
func (c *secretsRotateCommand) next(settings *config.Config) (key []byte, pending bool, err error) {
	if text := c.NewKey.Reveal(); text != "" {
		if settings.EncryptionKey == "" {
			return nil, false, errors.New("the key of this server is in its data directory, where a new one is put by itself; leave --new-key out")
		}
		if key, err = seal.ParseKey(text); err != nil {
			return nil, false, fmt.Errorf("new-key %w", err)
		}
		return key, false, nil
	}
	if settings.EncryptionKey != "" {
		return nil, false, errors.New("servers get their key by SONDE_ENCRYPTION_KEY: give the next one, such as by SONDE_NEW_ENCRYPTION_KEY=$(openssl rand -hex 32), and keep it")
	}
	path := filepath.Join(settings.DataDir, nextKeyFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key = seal.NewKey()
		return key, true, writeKey(path, key)
	}
	if err == nil {
		key, err = seal.ParseKey(string(text))
	}
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", path, err)
	}
	return key, true, nil
}

// oldBox is that of the key which servers have now. None is made: there is nothing to rotate then.
func oldBox(settings *config.Config) (*seal.Box, error) {
	if settings.EncryptionKey == "" {
		if _, err := os.Stat(filepath.Join(settings.DataDir, keyFile)); err != nil {
			return nil, fmt.Errorf("there is no key in %s; set SONDE_ENCRYPTION_KEY to the one that servers have", settings.DataDir)
		}
	}
	key, _, err := encryptionKey(settings)
	if err != nil {
		return nil, err
	}
	return seal.NewBox(key)
}
