package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os/user"
	"text/tabwriter"
	"time"

	"github.com/sondehq/sonde/internal/audit"
	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// auditPart removes events that are too old, at the start and every hour. Several nodes may do so at once.
func (n *node) auditPart() part {
	return background("audit log", "old events were still being removed", func(context.Context) func(context.Context) {
		log := audit.New(n.meta, n.logger)
		return func(ctx context.Context) {
			every(ctx, time.Hour, func(ctx context.Context) {
				if err := log.Shorten(ctx, n.config.AuditDays, time.Now()); err != nil && ctx.Err() == nil {
					n.logger.WarnContext(ctx, "the audit log was not shortened", "error", err)
				}
			})
		}
	})
}

// byOperator is an event of a command on the server's machine.
func byOperator(action string) model.AuditEvent {
	e := model.AuditEvent{Action: action, ActorKind: model.ActorOperator}
	if own, err := user.Current(); err == nil {
		e.ActorName = own.Username
	}
	return e
}

// auditCommand reads the audit log in the metadata database itself, whether a server runs or not.
type auditCommand struct {
	DataDir  string          `default:"sonde-data" env:"SONDE_DATA_DIR" placeholder:"DIR" help:"Data directory of the server; ${default} unless given."`
	Metadata config.Metadata `embed:"" prefix:"metadata-" envprefix:"SONDE_METADATA_"`

	List auditListCommand `cmd:"" help:"Show who did what, the newest first: sign-ins, keys, people, projects, settings, backups."`
}

type auditListCommand struct {
	Organization string        `placeholder:"ID" help:"Only events of this organization; all, and those of the installation, unless given."`
	Project      string        `placeholder:"ID" help:"Only events of this project."`
	Action       string        `placeholder:"WORD" help:"Only this action, such as key.create; key. is all that begin so."`
	Actor        string        `placeholder:"WHO" help:"Only what this user (email or id) or key (id) did."`
	Since        time.Duration `placeholder:"24h" help:"Only the last hours."`
	Limit        int           `default:"100" help:"How many events to show at most; ${default} unless given."`
	Format       string        `default:"table" enum:"table,json" help:"table for people, or json: one object in a line."`
}

// Run prints events.
func (c *auditListCommand) Run(ctx context.Context, std streams, parent *auditCommand) error {
	users := userCommand{DataDir: parent.DataDir, Metadata: parent.Metadata}
	return users.open(ctx, func(store userStore) error {
		q := metastore.AuditQuery{
			Organization: c.Organization, All: c.Organization == "", Project: c.Project, Action: c.Action, Actor: c.Actor,
			Limit: min(c.Limit, metastore.MaxAuditPage),
		}
		if c.Since > 0 {
			q.From = time.Now().Add(-c.Since)
		}
		events, err := store.AuditEvents(ctx, q)
		if err != nil {
			return err
		}
		if c.Format == "json" {
			return writeEvents(std, events)
		}
		table := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "AT\tACTION\tWHO\tWHAT\tDETAIL\tPROJECT\tADDRESS\tREQUEST")
		for _, e := range events {
			who, what := named(e.ActorName, e.ActorID), named(e.ObjectName, e.ObjectID)
			fmt.Fprintf(table, "%s\t%s\t%s %s\t%s\t%s\t%s\t%s\t%s\n", e.At.Format(time.RFC3339), e.Action, e.ActorKind, who, what, e.Detail, e.ProjectID, e.Address, e.RequestID)
		}
		return table.Flush()
	})
}

// named is the name of a thing, or the id of one that has none.
func named(name, id string) string {
	if name == "" {
		return id
	}
	return name
}

func writeEvents(std streams, events []model.AuditEvent) error {
	out := json.NewEncoder(std.out)
	for _, e := range events {
		if err := out.Encode(map[string]any{
			"id": e.ID, "at": e.At, "action": e.Action, "organizationId": e.OrganizationID, "projectId": e.ProjectID,
			"actor": map[string]any{"kind": e.ActorKind, "id": e.ActorID, "name": e.ActorName}, "object": map[string]any{"id": e.ObjectID, "name": e.ObjectName},
			"detail": e.Detail, "requestId": e.RequestID, "address": e.Address,
		}); err != nil {
			return err
		}
	}
	return nil
}
