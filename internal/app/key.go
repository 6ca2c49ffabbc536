package app

import (
	"context"
	"fmt"
	"log/slog"
	"text/tabwriter"
	"time"

	"github.com/sondehq/sonde/internal/audit"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/model"
)

// keyCommand manages API keys in the metadata database itself, whether a server runs or not.
type keyCommand struct {
	DataDir  string          `default:"sonde-data" env:"SONDE_DATA_DIR" placeholder:"DIR" help:"Data directory of the server; ${default} unless given."`
	Metadata config.Metadata `embed:"" prefix:"metadata-" envprefix:"SONDE_METADATA_"`

	List   keyListCommand   `cmd:"" help:"Show the keys of all projects and organizations, and when each was used last."`
	Rotate keyRotateCommand `cmd:"" help:"Give a key another secret, and print it. The old one works on for a while, so that programs can move one by one."`
}

func (c *keyCommand) open(ctx context.Context, work func(userStore) error) error {
	users := userCommand{DataDir: c.DataDir, Metadata: c.Metadata}
	return users.open(ctx, work)
}

type keyListCommand struct{}

// Run prints all valid keys.
func (*keyListCommand) Run(ctx context.Context, std streams, keys *keyCommand) error {
	return keys.open(ctx, func(store userStore) error {
		table := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "PUBLIC KEY\tOF\tNAME\tSCOPE\tCREATED\tLAST USED\tEXPIRES")
		err := eachOwner(ctx, store, func(of string, key model.Key) {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", key.PublicKey, of, key.Name, key.Scope, day(key.CreatedAt), day(key.LastUsedAt), day(key.ExpiresAt))
		})
		if err != nil {
			return err
		}
		return table.Flush()
	})
}

func day(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return at.Format(time.DateOnly)
}

// eachOwner shows the keys of every organization and project with the name of whose they are.
func eachOwner(ctx context.Context, store userStore, show func(of string, key model.Key)) error {
	organizations, err := store.Organizations(ctx)
	if err != nil {
		return err
	}
	for _, o := range organizations {
		projects, err := store.ProjectsOf(ctx, o.ID)
		if err != nil {
			return err
		}
		owners := map[string]string{"": "organization " + o.Name}
		for _, p := range projects {
			owners[p.ID] = p.Name
		}
		for id, name := range owners {
			keys, err := store.KeysOf(ctx, o.ID, id)
			if err != nil {
				return err
			}
			for _, key := range keys {
				show(name, key)
			}
		}
	}
	return nil
}

type keyRotateCommand struct {
	PublicKey string        `arg:"" help:"Public half of the key (pk-lf-…), which stays as it is."`
	Grace     time.Duration `default:"24h" help:"How long the old secret works beside the new one; ${default} unless given."`
}

// Run rotates a key.
func (c *keyRotateCommand) Run(ctx context.Context, std streams, keys *keyCommand) error {
	if c.Grace < 0 {
		return fmt.Errorf("--grace must not be negative, got %s", c.Grace)
	}
	return keys.open(ctx, func(store userStore) error {
		found, err := store.KeyByPublic(ctx, c.PublicKey)
		if err != nil {
			return fmt.Errorf("there is no key %s; sonde key list shows those that there are: %w", c.PublicKey, err)
		}
		fresh, secret, err := auth.Issue("", "")
		if err != nil {
			return err
		}
		key, err := store.service.RotateKey(ctx, found.Project.Organization.ID, found.Project.ID, found.ID, fresh, c.Grace)
		if err != nil {
			return err
		}
		event := byOperator("key.rotate")
		event.ProjectID, event.ObjectID, event.ObjectName = found.Project.ID, key.ID, key.Name
		audit.New(store, slog.New(slog.NewTextHandler(std.err, nil))).Record(ctx, event, found.Project.Organization.ID)
		_, err = fmt.Fprintf(std.out, "%s has a new secret, shown only now:\n\n  %s\n\nThe old one works until %s.\n",
			key.PublicKey, secret, key.OldUntil.Local().Format(time.RFC1123))
		return err
	})
}
