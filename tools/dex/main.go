// Command dex serves dex, an OpenID Connect provider, from memory, for tests to sign in with.
//
// It is dex's own server. Its own program cannot be built without a C compiler, because it also keeps data in
// SQLite, and brings a dozen other databases.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	gosundheit "github.com/AppsFlyer/go-sundheit"
	"github.com/dexidp/dex/server"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/memory"
	"github.com/prometheus/client_golang/prometheus"
)

// settings are read from the file that the only argument names.
type settings struct {
	Listen     string
	Issuer     string
	Clients    []storage.Client
	Passwords  []storage.Password
	Connectors []connector
}

// connector is a service behind dex through which people come.
type connector struct {
	ID, Type, Name string
	Config         json.RawMessage
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: %s SETTINGS.json", os.Args[0])
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	var s settings
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	connectors := []storage.Connector{{ID: server.LocalConnector, Type: server.LocalConnector, Name: "Password"}}
	for _, c := range s.Connectors {
		connectors = append(connectors, storage.Connector{ID: c.ID, Type: c.Type, Name: c.Name, Config: c.Config})
	}
	kept := storage.WithStaticClients(memory.New(logger), s.Clients)
	kept = storage.WithStaticPasswords(kept, s.Passwords, logger)
	kept = storage.WithStaticConnectors(kept, connectors)
	provider, err := server.NewServer(ctx, server.Config{
		Issuer: s.Issuer, Storage: kept, SkipApprovalScreen: true,
		Logger: logger, PrometheusRegistry: prometheus.NewRegistry(), HealthChecker: gosundheit.New(),
	})
	if err != nil {
		return err
	}
	listener := &http.Server{Addr: s.Listen, Handler: provider, ReadHeaderTimeout: 10 * time.Second}
	return listener.ListenAndServe()
}
