package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
	"github.com/sondehq/sonde/internal/upgrade"
)

// versionsFile is the file in the data directory that tells which versions wrote it.
const versionsFile = "versions.json"

// versions are those of everything that wrote files of a data directory, the newest of each.
type versions struct {
	Sonde  string `json:"sonde"`
	Engine string `json:"engine,omitempty"` // of the engine of our own
	Log    string `json:"log,omitempty"`    // of the log's server in the process
}

// minor is what decides about a format of files: its first two numbers.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

func (n *node) readVersions() (v versions, err error) {
	text, err := os.ReadFile(n.dir(versionsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil // of a release up to 0.3.0, or new
	}
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		return v, fmt.Errorf("read which versions wrote the data directory: %w", err)
	}
	return v, nil
}

// admitFiles refuses files that a newer engine or log wrote, before an older one opens them: what these do with a format
// that they do not know ranges from a refusal to setting parts aside.
func (n *node) admitFiles(ctx context.Context) error {
	v, err := n.readVersions()
	if err != nil {
		return err
	}
	ownLog := n.config.NeedsLog() && n.config.Eventlog.Address == ""
	if ownLog && v.Log != "" && upgrade.Older(minor(natslog.ServerVersion()), minor(v.Log)) {
		return cannotGoBack("the log in "+n.dir("log"), "NATS", v.Log, natslog.ServerVersion(), v.Sonde)
	}
	if !n.config.NeedsStore() || len(n.config.Engine.Address) > 0 || v.Engine == "" {
		return nil
	}
	if tested, err := engine.PublishedFor(runtime.GOOS, runtime.GOARCH); err == nil && !upgrade.Older(minor(tested.Version), minor(v.Engine)) {
		return nil
	}
	// An older program with the newer engine is fine: ask the engine itself, on a directory that does not matter.
	actual, err := n.engineVersion(ctx)
	if err != nil {
		return err
	}
	if upgrade.Older(minor(actual), minor(v.Engine)) {
		return cannotGoBack("the trace store in "+n.dir("engine"), "ClickHouse", v.Engine, actual, v.Sonde)
	}
	return nil
}

func cannotGoBack(what, program, wrote, have, by string) error {
	return fmt.Errorf("%s was written by %s %s (sonde %s), and this is %s, which may not know its files: nothing was opened; "+
		"run the newer version, or restore a backup from before the upgrade into a new directory (docs/operate/upgrade.md)", what, program, wrote, by, have)
}

// engineVersion starts the engine on an empty directory and asks it.
func (n *node) engineVersion(ctx context.Context) (version string, err error) {
	dir, err := os.MkdirTemp("", "sonde-engine-")
	if err != nil {
		return "", fmt.Errorf("look which version the engine has: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	beside := &node{config: n.config, logger: n.logger, metrics: n.metrics}
	c := n.config.Engine
	beside.engine, err = engine.Start(ctx, engine.Config{Dir: dir, Library: c.Library, Binary: c.Binary, MemoryBytes: uint64(c.Memory), Logger: n.logger})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, beside.engine.Stop(context.WithoutCancel(ctx))) }()
	store, err := chstore.Open(beside.storeConfig())
	if err != nil {
		return "", err
	}
	defer store.Close()
	return store.Version(ctx)
}

// writeVersions notes what has opened the files by now.
func (n *node) writeVersions(ctx context.Context) error {
	old, err := n.readVersions()
	if err != nil {
		return err
	}
	v := versions{Sonde: upgrade.Newest(old.Sonde, selfobs.Version), Engine: old.Engine, Log: old.Log}
	if n.log != nil && n.config.Eventlog.Address == "" {
		v.Log = upgrade.Newest(old.Log, natslog.ServerVersion())
	}
	if n.engine != nil {
		running, err := n.store.Version(ctx)
		if err != nil {
			return err
		}
		v.Engine = upgrade.Newest(old.Engine, running)
	}
	if v == old {
		return nil
	}
	text, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(n.dir(versionsFile), append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("note which versions wrote the data directory: %w", err)
	}
	return nil
}
