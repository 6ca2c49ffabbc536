package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
	"github.com/sondehq/sonde/internal/upgrade"
)

// migrateCommand is about what a start does to data of an older version.
type migrateCommand struct {
	Plan migratePlanCommand `cmd:"" help:"Show what a start of this version would do to metadata and trace store, and whether the release before can still run. Changes nothing."`
	Run  migrateRunCommand  `cmd:"" help:"Bring metadata and trace store up to date, as serve does at its start, and end."`
}

type migratePlanCommand struct{ settings }

type migrateRunCommand struct{ settings }

// planned is a migration with the part that it belongs to.
type planned struct {
	part string
	upgrade.Step
}

// Run prints the plan. It fails when this version may not open the data at all.
func (c *migratePlanCommand) Run(ctx context.Context, std streams) error {
	if err := c.Verify(); err != nil {
		return fmt.Errorf("the configuration cannot be used:\n%w", err)
	}
	logger, err := selfobs.NewLogger(std.err, c.Logging.Format, "error")
	if err != nil {
		return err
	}
	p := &planning{node: &node{config: &c.Config, logger: logger, metrics: selfobs.NewMetrics(), out: std.out}}
	if err := p.run(ctx); err != nil {
		return err
	}
	return p.show(std.out)
}

// planning looks at everything that would be changed.
type planning struct {
	node  *node
	marks []string
	steps []planned
	notes []string
}

func (p *planning) run(ctx context.Context) error {
	n := p.node
	if abs, err := filepath.Abs(n.config.DataDir); err == nil {
		n.config.DataDir = abs
	}
	if err := n.admitFiles(ctx); err != nil {
		return err
	}
	meta, err := planMetadata(ctx, n.config)
	if err != nil {
		return err
	}
	if err := p.add("metadata", meta.New, meta.Mark, meta.Pending); err != nil {
		return err
	}
	if !n.config.NeedsStore() {
		return nil
	}
	plans, err := p.planStore(ctx)
	if err != nil {
		return err
	}
	for i, plan := range plans {
		part := "trace store"
		if len(plans) > 1 {
			part = fmt.Sprintf("trace store %d", i+1)
		}
		if err := p.add(part, plan.New, plan.Mark, plan.Pending); err != nil {
			return err
		}
	}
	return nil
}

func (p *planning) add(part string, isNew bool, mark upgrade.Mark, pending []upgrade.Step) error {
	if err := mark.Admit("the "+part, selfobs.Version); err != nil {
		return err
	}
	switch {
	case isNew:
		p.marks = append(p.marks, part+": nothing is there yet; a start makes it")
		return nil // what makes tables from nothing is of no interest to anybody
	case mark.WrittenBy == "":
		p.marks = append(p.marks, part+": written by 0.3.0 or older")
	default:
		p.marks = append(p.marks, part+": written by "+mark.WrittenBy)
	}
	for _, step := range pending {
		p.steps = append(p.steps, planned{part, step})
	}
	return nil
}

func planMetadata(ctx context.Context, c *config.Config) (sqlstore.Plan, error) {
	if url := c.Metadata.URL.Reveal(); url != "" {
		return sqlstore.PlanPostgres(ctx, url)
	}
	return sqlstore.PlanSQLite(ctx, filepath.Join(c.DataDir, "metadata.sqlite"))
}

// planStore asks the engine that is there: somebody else's, that of the running server, or one that is started to look.
func (p *planning) planStore(ctx context.Context) (plans []chstore.Plan, err error) {
	n := p.node
	config := n.storeConfig()
	if len(config.Nodes) == 0 {
		_, err := os.Stat(n.dir("engine"))
		if errors.Is(err, fs.ErrNotExist) {
			return []chstore.Plan{{New: true}}, nil
		}
		running, lockErr := p.runningEngine()
		switch {
		case lockErr != nil:
			return nil, lockErr
		case running != "":
			config.Nodes = []string{running}
		default:
			if err := n.openDataDir(ctx); err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, n.closeDataDir(ctx)) }()
			if err := n.startEngine(ctx); err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, n.stopEngine(context.WithoutCancel(ctx))) }()
			config = n.storeConfig()
			p.notes = append(p.notes, "no server runs here: the engine was started to look, and stopped again")
		}
	}
	store, err := chstore.Open(config)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return store.Plan(ctx)
}

// runningEngine is the address of the engine when a server works on the data directory.
func (p *planning) runningEngine() (string, error) {
	lock, err := os.Open(p.node.dir("lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look who works in the data directory: %w", err)
	}
	defer lock.Close()
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil {
		return "", nil // nobody; closing gives it back
	}
	text, err := os.ReadFile(p.node.dir(engineURLFile))
	if err != nil {
		return "", fmt.Errorf("find the engine of the running server: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

func (p *planning) show(out io.Writer) error {
	for _, line := range append(p.marks, p.notes...) {
		fmt.Fprintln(out, line)
	}
	if len(p.steps) == 0 {
		_, err := fmt.Fprintf(out, "nothing is pending: sonde %s changes no table\n", selfobs.Version)
		return err
	}
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "\nPART\tMIGRATION\tKIND\tROWS OF CHANGED TABLES\tWHO CAN RUN AFTERWARDS")
	oldest := ""
	for _, step := range p.steps {
		who := "the release before, too"
		if step.Kind == upgrade.Contract {
			who, oldest = step.Oldest+" and later", upgrade.Newest(oldest, step.Oldest)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", step.part, step.Name, step.Kind, step.Rows, who)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if oldest != "" {
		_, err := fmt.Fprintf(out, "\n%d migrations are pending. After them versions before %s refuse this data: make a backup first, and stop older nodes.\n", len(p.steps), oldest)
		return err
	}
	_, err := fmt.Fprintf(out, "\n%d migrations are pending, and all of them only add: the release before goes on beside this one, and can be put back.\n", len(p.steps))
	return err
}

// Run migrates and ends.
func (c *migrateRunCommand) Run(ctx context.Context, std streams) error {
	if err := c.Verify(); err != nil {
		return fmt.Errorf("the configuration cannot be used:\n%w", err)
	}
	logger, err := selfobs.NewLogger(std.err, c.Logging.Format, c.Logging.Level)
	if err != nil {
		return err
	}
	n := &node{config: &c.Config, logger: logger, metrics: selfobs.NewMetrics(), out: std.out}
	parts := []part{
		{name: "data directory", start: n.openDataDir, stop: n.closeDataDir},
		{name: "restored data", start: func(context.Context) error { return n.refuseUnfinished() }},
		{name: "versions of files", start: n.admitFiles},
		{name: "metadata", start: n.connectMetadata, stop: func(context.Context) error { return n.meta.Close() }},
	}
	if n.config.NeedsStore() {
		migrate := func(ctx context.Context) (err error) {
			if n.store, err = chstore.Open(n.storeConfig()); err != nil {
				return err
			}
			return n.store.Migrate(ctx) // a store that is away is no success here
		}
		parts = append(parts, part{name: "engine", start: n.startEngine, stop: n.stopEngine},
			part{name: "store", start: migrate, stop: func(context.Context) error { n.store.Close(); return nil }})
	}
	parts = append(parts, part{name: "mark of versions", start: n.writeVersions})
	s := &supervisor{logger: logger}
	if err := s.start(ctx, parts, n.config.StopWithin); err != nil {
		return err
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.config.StopWithin)
	defer cancel()
	if err := s.stop(stopping); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "metadata and trace store are those of sonde %s\n", selfobs.Version)
	return err
}
