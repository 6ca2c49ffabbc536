// Package sonde_test guards the shape of the repository: layers, dependencies, names and sizes.
// It needs nothing but the go command, so it also works where no linter does.
package sonde_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const (
	module = "github.com/sondehq/sonde"
	// testOnly packages are imported from _test.go files and from each other, and import
	// anything below the API.
	testOnly  = -1
	portLayer = 3
	apiLayer  = 6
	// wiring is the lowest layer that may name an adapter.
	wiring = 7
)

// layers is the import rule: a package imports only packages with a smaller number.
var layers = map[string]int{
	"internal/fault": 0, "internal/selfobs": 0, "internal/config": 0, "internal/seal": 0, "ui": 0,
	"internal/model": 1, "internal/upgrade": 1, "internal/outbound": 1, "internal/ratelimit": 1,
	"internal/filter": 2, "internal/usage": 2, "internal/price": 2, "internal/tokens": 2, "internal/stats": 2, "internal/sandbox": 2,
	"internal/otlp": 3, "internal/partial": 3, "internal/llm": 3, "internal/digest": 3,
	"internal/eventlog": portLayer, "internal/tracestore": portLayer,
	"internal/metastore": portLayer, "internal/blob": portLayer, "internal/jobs": portLayer, "internal/live": portLayer,
	"internal/eventlog/natslog": 4, "internal/tracestore/chstore": 4,
	"internal/metastore/sqlstore": 4, "internal/blob/dirblob": 4,
	"internal/selftrace": 4,
	"internal/ingest":    4, "internal/writer": 4, "internal/query": 4, "internal/auth": 4, "internal/engine": 4,
	"internal/pricing": 4, "internal/media": 4, "internal/reprice": 4, "internal/scoring": 4,
	"internal/datasets": 4, "internal/prompts": 4, "internal/annotation": 4, "internal/connections": 4,
	"internal/tenancy": 4, "internal/erase": 4, "internal/export": 4, "internal/retention": 4, "internal/backup": 4,
	"internal/cells": 4, "internal/evaluation": 4, "internal/flagging": 4, "internal/savedviews": 4, "internal/audit": 4, "internal/playground": 4, "internal/dashboards": 4, "internal/alerts": 4, "internal/signin": 4, "internal/oidc": 4,
	"internal/blob/s3blob": 4,
	"internal/mcp":         5, "internal/demo": 5, "internal/probe": 5, "internal/importer": 5, "internal/importer/scripted": 5,
	"internal/api": apiLayer, "internal/otlpgrpc": apiLayer, "internal/web": apiLayer, "internal/router": apiLayer,
	"internal/bench": wiring,
	"internal/app":   8,
	"cmd/sonde":      9,

	".": testOnly, "e2e": testOnly, "e2e/cluster": testOnly, "e2e/cluster/start": testOnly, "internal/testkit": testOnly,
	"internal/eventlog/eventlogtest": testOnly, "internal/tracestore/tracestoretest": testOnly,
	"internal/metastore/metastoretest": testOnly, "internal/blob/blobtest": testOnly,
	"internal/jobs/jobstest": testOnly, "internal/live/livetest": testOnly,
	"internal/otlp/otlptest": testOnly, "internal/llm/llmtest": testOnly,
}

// adapters talk to one outside thing each. Only the wiring names them.
var adapters = []string{
	"internal/eventlog/natslog", "internal/tracestore/chstore", "internal/metastore/sqlstore",
	"internal/blob/dirblob", "internal/blob/s3blob", "internal/engine",
}

// secondPorts are ports beside its own that an adapter implements on the same server.
var secondPorts = map[string][]string{"internal/eventlog/natslog": {"internal/jobs", "internal/live"}}

// Who may import a third-party module.
var (
	anywhere  []string
	testsOnly = []string{"_test"}
)

// homes lists every third-party module by import prefix with the packages that may import it.
// "_test" stands for test files and test-only packages, "x_test" for the test files of package x.
// A module that is not here needs a decision record first (docs/adr).
var homes = map[string][]string{
	"github.com/nats-io/":                     {"internal/eventlog/natslog", "e2e_test"},
	"github.com/ClickHouse/":                  {"internal/tracestore/chstore", "internal/engine_test"},
	"github.com/jackc/pgx/":                   {"internal/metastore/sqlstore", "internal/testkit"},
	"modernc.org/sqlite":                      {"internal/metastore/sqlstore"},
	"github.com/pressly/goose/":               {"internal/metastore/sqlstore"},
	"github.com/ebitengine/purego":            {"internal/engine"},
	"github.com/alecthomas/kong":              {"internal/app", "internal/config"},
	"gopkg.in/yaml.v3":                        {"internal/app", "internal/config", "internal/mcp", "_test"},
	"github.com/modelcontextprotocol/go-sdk/": {"internal/mcp", "internal/mcp_test", "e2e_test"},
	"github.com/prometheus/":                  {"internal/selfobs"},
	"golang.org/x/crypto/":                    {"internal/auth"},
	"github.com/tiktoken-go/":                 {"internal/tokens"},
	"github.com/swaggest/swgui/":              {"internal/api"},
	"go.opentelemetry.io/collector/":          {"internal/otlp_test"},
	"go.opentelemetry.io/otel":                {"internal/selftrace", "internal/selftrace_test", "internal/otlpgrpc_test", "e2e_test"},
	"google.golang.org/grpc":                  {"internal/otlpgrpc", "internal/otlpgrpc_test", "e2e_test"},
	"google.golang.org/genproto/":             {"internal/otlpgrpc", "internal/otlpgrpc_test"},
	"github.com/klauspost/compress/":          anywhere,
	"github.com/cespare/xxhash/":              anywhere,
	"github.com/google/uuid":                  anywhere,
	"github.com/shopspring/decimal":           anywhere,
	"google.golang.org/protobuf/":             anywhere,
	"golang.org/x/sync/":                      anywhere,
	"golang.org/x/sys/":                       anywhere,
	"golang.org/x/text/":                      anywhere,
	"golang.org/x/time/":                      anywhere,
	"github.com/google/go-cmp/":               testsOnly,
	"go.uber.org/goleak":                      testsOnly,
	"pgregory.net/rapid":                      testsOnly,
	"github.com/getkin/kin-openapi/":          testsOnly,
	"golang.org/x/tools/txtar":                testsOnly,
	"github.com/minio/minio-go/":              {"internal/blob/s3blob"},
	"github.com/parquet-go/":                  {"internal/export", "internal/export_test", "e2e_test"},
	"github.com/santhosh-tekuri/":             {"internal/datasets", "internal/testkit"},
	"github.com/coreos/go-oidc/":              {"internal/oidc", "internal/oidc_test"},
	"golang.org/x/oauth2":                     {"internal/oidc"},
	"github.com/emersion/go-s":                {"internal/alerts_test"},
	"github.com/tetratelabs/wazero":           {"internal/sandbox"},
}

var bannedNames = []string{"util", "utils", "common", "helper", "helpers", "misc"}

// pkg is the part of `go list -json` we look at.
type pkg struct {
	ImportPath                         string
	Name, Doc                          string
	GoFiles                            []string
	Imports, TestImports, XTestImports []string
}

// path is the import path below the module, "." for the root.
func (p pkg) path() string { return inModule(p.ImportPath) }

// testFileImports are the imports of the package's _test.go files.
func (p pkg) testFileImports() []string { return slices.Concat(p.TestImports, p.XTestImports) }

func inModule(importPath string) string {
	if importPath == module {
		return "."
	}
	return strings.TrimPrefix(importPath, module+"/")
}

func ours(importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

func TestLayers(t *testing.T) {
	t.Parallel()
	packages := list(t)
	for name, guard := range map[string]func(pkg) []string{
		"every package has a layer":     missingLayer,
		"imports point down":            upwardImports,
		"third party stays at home":     strayDependencies,
		"every package says what it is": missingDoc,
		"names mean something":          emptyName,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, p := range packages {
				for _, finding := range guard(p) {
					t.Error(finding)
				}
			}
		})
	}
}

func list(t *testing.T) []pkg {
	t.Helper()
	// -e: a package that does not build is reported by the build; its imports count here all the same.
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e",
		"-json=ImportPath,Name,Doc,GoFiles,Imports,TestImports,XTestImports", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list packages: %v\n%s", err, stderr.String())
	}
	var packages []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("read the package list: %v", err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 2 {
		t.Fatalf("found %d packages, the guard looks at nothing", len(packages))
	}
	return packages
}

func missingLayer(p pkg) []string {
	if _, known := layers[p.path()]; known {
		return nil
	}
	return []string{fmt.Sprintf("%s has no layer: add it to the table in layers_test.go", p.path())}
}

func upwardImports(p pkg) (findings []string) {
	for _, imported := range p.Imports {
		if !ours(imported) {
			continue
		}
		target := inModule(imported)
		if bad := badImport(p.path(), target); bad != "" {
			findings = append(findings, fmt.Sprintf("%s imports %s: %s", p.path(), target, bad))
		}
	}
	return findings
}

// badImport says what is wrong with an import, "" when nothing is.
func badImport(importer, target string) string {
	from := layers[importer]
	to, known := layers[target]
	switch {
	case !known: // missingLayer reports the package itself
	case from == testOnly && to == testOnly:
	case from == testOnly && to >= apiLayer:
		return "test-only packages stay below the API"
	case from == testOnly:
	case to == testOnly:
		return "only _test.go files import test-only packages"
	case to > from:
		return "upward"
	case to == from:
		return "sideways: declare a small interface and let app pass it in"
	case slices.Contains(adapters, target) && from < wiring:
		return "adapters are named only in the wiring: use the port"
	case slices.Contains(adapters, importer) && to == portLayer && target != path.Dir(importer) && !slices.Contains(secondPorts[importer], target):
		return "an adapter knows its own port only"
	}
	return ""
}

func strayDependencies(p pkg) (findings []string) {
	inTests := []string{p.path(), p.path() + "_test", "_test"}
	inCode := inTests[:1]
	if layers[p.path()] == testOnly {
		inCode = inTests
	}
	check := func(imports, as []string) {
		for _, imported := range imports {
			if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") || ours(imported) {
				continue // the standard library has no dot in its first element
			}
			if finding := stray(imported, as); finding != "" {
				findings = append(findings, fmt.Sprintf("%s imports %s: %s", p.path(), imported, finding))
			}
		}
	}
	check(p.Imports, inCode)
	check(p.testFileImports(), inTests)
	return findings
}

// stray says why none of the importers may import the package, or nothing.
func stray(imported string, importers []string) string {
	for prefix, allowed := range homes {
		if imported != strings.TrimSuffix(prefix, "/") && !strings.HasPrefix(imported, prefix) {
			continue
		}
		if len(allowed) == 0 || slices.ContainsFunc(importers, func(i string) bool { return slices.Contains(allowed, i) }) {
			return ""
		}
		return "only for " + strings.Join(allowed, ", ")
	}
	return "new dependency: needs a decision record and a line in layers_test.go"
}

func missingDoc(p pkg) []string {
	if len(p.GoFiles) == 0 {
		return nil
	}
	want := "Package " + p.Name + " "
	if p.Name == "main" {
		want = "Command " + path.Base(p.path()) + " "
	}
	if strings.HasPrefix(p.Doc, want) {
		return nil
	}
	return []string{fmt.Sprintf("%s: the package comment must start with %q, it is %q", p.path(), want, p.Doc)}
}

func emptyName(p pkg) (findings []string) {
	for part := range strings.SplitSeq(p.path(), "/") {
		if slices.Contains(bannedNames, part) {
			findings = append(findings, fmt.Sprintf("%s: %q says nothing about what is inside", p.path(), part))
		}
	}
	return findings
}

func TestLayerGuardsFind(t *testing.T) {
	t.Parallel()
	of := func(name string, imports ...string) pkg {
		return pkg{ImportPath: module + "/" + name, Name: path.Base(name), GoFiles: []string{"a.go"}, Imports: imports}
	}
	inTests := func(name string, imports ...string) pkg {
		return pkg{ImportPath: module + "/" + name, Name: path.Base(name), TestImports: imports}
	}
	documented := of("internal/model")
	documented.Doc = "Package model holds the words."
	for name, tt := range map[string]struct {
		guard func(pkg) []string
		pkg   pkg
		found int
	}{
		"unknown package":         {missingLayer, of("internal/surprise"), 1},
		"known package":           {missingLayer, of("internal/model"), 0},
		"down":                    {upwardImports, of("internal/ingest", module+"/internal/eventlog", "net"), 0},
		"up":                      {upwardImports, of("internal/model", module+"/internal/api"), 1},
		"sideways":                {upwardImports, of("internal/ingest", module+"/internal/auth"), 1},
		"adapter in the API":      {upwardImports, of("internal/api", module+"/internal/tracestore/chstore"), 1},
		"adapter in the wiring":   {upwardImports, of("internal/app", module+"/internal/tracestore/chstore"), 0},
		"own port":                {upwardImports, of("internal/blob/dirblob", module+"/internal/blob"), 0},
		"second port":             {upwardImports, of("internal/eventlog/natslog", module+"/internal/jobs"), 0},
		"foreign port":            {upwardImports, of("internal/blob/dirblob", module+"/internal/metastore"), 1},
		"test package in code":    {upwardImports, of("internal/query", module+"/internal/testkit"), 1},
		"test package in tests":   {upwardImports, inTests("internal/query", module+"/internal/testkit"), 0},
		"test package on the API": {upwardImports, of("internal/testkit", module+"/internal/api"), 1},
		"test package below":      {upwardImports, of("internal/testkit", module+"/internal/blob/dirblob"), 0},
		"dependency at home":      {strayDependencies, of("internal/eventlog/natslog", "github.com/nats-io/nats.go"), 0},
		"dependency astray":       {strayDependencies, of("internal/bench", "github.com/ClickHouse/ch-go"), 1},
		"astray in tests too":     {strayDependencies, inTests("internal/query", "github.com/nats-io/nats.go"), 1},
		"unknown dependency":      {strayDependencies, of("internal/query", "example.com/clever"), 1},
		"shared dependency":       {strayDependencies, of("internal/query", "golang.org/x/sync/errgroup"), 0},
		"test tool in code":       {strayDependencies, of("internal/query", "github.com/google/go-cmp/cmp"), 1},
		"test tool in tests":      {strayDependencies, inTests("internal/query", "github.com/google/go-cmp/cmp"), 0},
		"test tool in a suite":    {strayDependencies, of("internal/blob/blobtest", "github.com/google/go-cmp/cmp"), 0},
		"decoder in code":         {strayDependencies, of("internal/otlp", "go.opentelemetry.io/collector/pdata/ptrace"), 1},
		"decoder in its tests":    {strayDependencies, inTests("internal/otlp", "go.opentelemetry.io/collector/pdata/ptrace"), 0},
		"decoder in other tests":  {strayDependencies, inTests("internal/api", "go.opentelemetry.io/collector/pdata/ptrace"), 1},
		"no package comment":      {missingDoc, of("internal/model"), 1},
		"package comment":         {missingDoc, documented, 0},
		"empty name":              {emptyName, of("internal/common/x"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.guard(tt.pkg); len(got) != tt.found {
				t.Errorf("got %d findings %q, want %d", len(got), got, tt.found)
			}
		})
	}
}
