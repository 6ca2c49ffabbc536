package app

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/metastore"
)

// erasuresCommand reads reports on deletes in the metadata database itself, whether a server runs or not.
type erasuresCommand struct {
	DataDir  string          `default:"sonde-data" env:"SONDE_DATA_DIR" placeholder:"DIR" help:"Data directory of the server; ${default} unless given."`
	Metadata config.Metadata `embed:"" prefix:"metadata-" envprefix:"SONDE_METADATA_"`

	Project string `placeholder:"ID" help:"Only requests about this project, which may be deleted."`
	Limit   int    `default:"100" help:"How many requests to show at most; ${default} unless given."`
	Format  string `default:"table" enum:"table,json" help:"table for people, or json: one whole report in a line."`
}

// Run prints reports.
func (c *erasuresCommand) Run(ctx context.Context, std streams) error {
	users := userCommand{DataDir: c.DataDir, Metadata: c.Metadata}
	return users.open(ctx, func(store userStore) error {
		list, err := store.ErasuresAsked(ctx, metastore.ErasureQuery{All: true, Project: c.Project, Limit: min(c.Limit, metastore.MaxErasurePage)})
		if err != nil {
			return err
		}
		if c.Format == "json" {
			out := json.NewEncoder(std.out)
			for _, e := range list {
				if err := out.Encode(e); err != nil {
					return err
				}
			}
			return nil
		}
		table := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "ASKED\tERASED\tPROJECT\tWHAT\tWHO\tROWS\tMEDIA\tDEAD LETTERS\tREQUEST")
		for _, e := range list {
			erased, what, rows := "not yet", "the project", uint64(0)
			if !e.FinishedAt.IsZero() {
				erased = e.FinishedAt.Format(time.RFC3339)
			}
			if len(e.TraceIDs) > 0 {
				what = fmt.Sprintf("%d traces", len(e.TraceIDs))
			}
			for _, n := range e.Report.Rows {
				rows += n
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s %s\t%d\t%d\t%d\t%s\n", e.AskedAt.Format(time.RFC3339), erased, e.ProjectID, what,
				e.By.Kind, named(e.By.Name, e.By.ID), rows, e.Report.Media, e.Report.DeadLetters, e.By.RequestID)
		}
		return table.Flush()
	})
}
