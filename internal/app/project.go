package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"text/tabwriter"
	"time"

	"github.com/sondehq/sonde/internal/cells"
	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// projectCommand looks after the cells of projects, in the metadata database that cells share.
type projectCommand struct {
	Metadata config.Metadata `embed:"" prefix:"metadata-" envprefix:"SONDE_METADATA_"`

	List projectListCommand `cmd:"" help:"Show which cell serves each project."`
	Move projectMoveCommand `cmd:"" help:"Move a project to another cell, while it is used. Run it again after it was interrupted: it goes on."`
}

func (c *projectCommand) open(ctx context.Context, work func(userStore) error) error {
	if c.Metadata.URL == "" {
		return errors.New("name the database that the cells share by --metadata-url")
	}
	users := userCommand{Metadata: c.Metadata}
	return users.open(ctx, work)
}

type projectListCommand struct{}

// Run prints all projects.
func (*projectListCommand) Run(ctx context.Context, std streams, projects *projectCommand) error {
	return projects.open(ctx, func(store userStore) error {
		list, err := store.Store.Projects(ctx)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tNAME\tCELL\tMOVE")
		for _, p := range list {
			at, err := store.Placement(ctx, p.ID)
			if err != nil {
				return err
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", p.ID, p.Name, cells.Shown(at.Cell), moveOf(at))
		}
		return table.Flush()
	})
}

func moveOf(at model.Placement) string {
	switch at.Phase {
	case model.Copying:
		return "on its way to " + cells.Shown(at.Other)
	case model.Switched:
		return "has rows left in " + cells.Shown(at.Other)
	default:
		return ""
	}
}

type projectMoveCommand struct {
	Project string `arg:"" help:"Id of the project."`
	To      string `required:"" placeholder:"CELL" help:"Cell that it goes to; - is the one without a name."`

	FromServer string          `required:"" placeholder:"URL" help:"Address of metrics (--metrics-listen) of a process with log and store in the cell that it leaves, such as http://10.0.0.5:9464."`
	ToServer   string          `required:"" placeholder:"URL" help:"The same in the cell that it goes to."`
	FromEngine []config.Secret `required:"" env:"SONDE_FROM_ENGINE" placeholder:"clickhouse://…" help:"ClickHouse of the cell that it leaves, once per shard; of an embedded engine what engine.url in its data directory says."`
	ToEngine   []config.Secret `required:"" env:"SONDE_TO_ENGINE" placeholder:"clickhouse://…" help:"The same of the cell that it goes to."`

	FromCluster string `placeholder:"NAME" help:"Name of the ClickHouse cluster there, where it has shards."`
	ToCluster   string `placeholder:"NAME" help:"The same of the cell that it goes to."`

	Settle     time.Duration `default:"2s" help:"How long requests that are under way have to reach the log, once writes are held; ${default} unless given."`
	KeepSource bool          `help:"Leave the rows in the cell that it leaves."`
	Abandon    bool          `help:"Give up a move that was not finished: the project stays, and what was copied is erased."`
}

// Run moves a project.
func (c *projectMoveCommand) Run(ctx context.Context, std streams, projects *projectCommand) error {
	if c.To == cells.Unnamed {
		c.To = ""
	}
	return projects.open(ctx, func(store userStore) error {
		say := func(format string, args ...any) {
			fmt.Fprintf(std.out, time.Now().Format(time.TimeOnly)+" "+format+"\n", args...)
		}
		from, err := chstore.Open(chstore.Config{Nodes: revealed(c.FromEngine), Cluster: c.FromCluster})
		if err != nil {
			return fmt.Errorf("from-engine: %w", err)
		}
		defer from.Close()
		to, err := chstore.Open(chstore.Config{Nodes: revealed(c.ToEngine), Cluster: c.ToCluster})
		if err != nil {
			return fmt.Errorf("to-engine: %w", err)
		}
		defer to.Close()
		mover := &cells.Mover{
			Metadata: store.Store, Stores: twoStores{from, to, say}, From: cellServer(c.FromServer), To: cellServer(c.ToServer),
			Settle: c.Settle, KeepSource: c.KeepSource, Say: say,
		}
		if c.Abandon {
			return mover.Abandon(ctx, c.Project, c.To)
		}
		return mover.Move(ctx, c.Project, c.To)
	})
}

func revealed(secrets []config.Secret) (list []string) {
	for _, s := range secrets {
		list = append(list, s.Reveal())
	}
	return list
}

// twoStores are those of both cells.
type twoStores struct {
	from, to *chstore.Store
	say      func(format string, args ...any)
}

// Identities implements cells.Stores.
func (s twoStores) Identities(ctx context.Context) (from, to []string, err error) {
	if from, err = s.from.Identity(ctx); err != nil {
		return nil, nil, fmt.Errorf("from-engine: %w", err)
	}
	if to, err = s.to.Identity(ctx); err != nil {
		return nil, nil, fmt.Errorf("to-engine: %w", err)
	}
	return from, to, nil
}

// Copy implements cells.Stores.
func (s twoStores) Copy(ctx context.Context, projectID string, since time.Time) (time.Time, error) {
	return s.from.CopyProject(ctx, s.to, projectID, since, func(c chstore.Copied) {
		if c.Rows > 0 {
			s.say("  %d rows of %s", c.Rows, c.Table)
		}
	})
}

// Missing implements cells.Stores.
func (s twoStores) Missing(ctx context.Context, projectID string, since time.Time, changed bool) (string, error) {
	return s.from.MissingFrom(ctx, s.to, projectID, since, changed)
}

// Arrived implements cells.Stores.
func (s twoStores) Arrived(ctx context.Context, projectID string) (uint64, error) {
	return s.to.RowsOf(ctx, projectID)
}

// ForgetFrom implements cells.Stores.
func (s twoStores) ForgetFrom(ctx context.Context, projectID string) error {
	return s.from.ForgetProject(ctx, projectID)
}

// ForgetTo implements cells.Stores.
func (s twoStores) ForgetTo(ctx context.Context, projectID string) error {
	return s.to.ForgetProject(ctx, projectID)
}

// cellServer is the operator's address of a process of a cell.
type cellServer string

// Work implements cells.Server.
func (s cellServer) Work(ctx context.Context, projectID string) (work cells.Work, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, string(s)+cellPath+"?project="+url.QueryEscape(projectID), nil)
	if err != nil {
		return work, err
	}
	answer, err := (&http.Client{Timeout: 10 * time.Second}).Do(request)
	if err != nil {
		return work, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return work, err
	}
	if answer.StatusCode != http.StatusOK {
		return work, fmt.Errorf("%s answered %d: %.200s", s, answer.StatusCode, text)
	}
	return work, json.Unmarshal(text, &work)
}
