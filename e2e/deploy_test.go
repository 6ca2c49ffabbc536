package e2e_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"gopkg.in/yaml.v3"
)

// deployFile is the text of a file that people deploy with.
func deployFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The files that people deploy with name settings that there are.
func TestDeployFilesFitTheProgram(t *testing.T) {
	t.Parallel()
	help := run(t, environment(t), "serve", "--help").stdout + run(t, environment(t), "probe", "--help").stdout
	files := []string{
		"Dockerfile", "deploy/sonde.service", "deploy/sonde-probe.service", "deploy/compose/one-node.yaml", "deploy/compose/cluster.yaml",
		"deploy/compose/cluster.env.example", "deploy/debian/sonde.yaml", "deploy/helm/sonde/values.yaml",
		"deploy/helm/sonde/templates/_helpers.tpl", "deploy/helm/sonde/templates/secret.yaml",
		"deploy/helm/examples/single.golden.yaml", "deploy/helm/examples/cluster.golden.yaml",
	}
	found := map[string]bool{}
	for _, name := range files {
		for _, setting := range regexp.MustCompile(`SONDE_[A-Z0-9_]+\b`).FindAllString(deployFile(t, name), -1) {
			found[setting] = true
			if !strings.Contains(help, "$"+setting+")") && setting != "SONDE_ENGINE_SHA256" && !strings.HasSuffix(setting, "_") {
				t.Errorf("%s sets %s, which nobody reads", name, setting)
			}
		}
	}
	if len(found) < 12 {
		t.Errorf("all of them name %d settings", len(found))
	}
	if text := deployFile(t, "Dockerfile"); !strings.Contains(text, "USER 65532") || !strings.Contains(text, `HEALTHCHECK`) {
		t.Error("the image runs as root, or without a health check")
	}
	checked := run(t, environment(t, "SONDE_DATA_DIR="+t.TempDir()), "check", "--config", filepath.Join(mustAbs(t, ".."), "deploy/debian/sonde.yaml"))
	if !strings.HasPrefix(checked.stdout, "ok    configuration\n") {
		t.Errorf("the package's settings: %s%s", checked.stdout, checked.stderr)
	}
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// systemd waits longer than a stop may take.
func TestUnitIsPatient(t *testing.T) {
	t.Parallel()
	unit := regexp.MustCompile(`SONDE_STOP_WITHIN=(\d+)s[\s\S]*TimeoutStopSec=(\d+)`).FindStringSubmatch(deployFile(t, "deploy/sonde.service"))
	if unit == nil {
		t.Fatal("the unit says nothing about stops")
	}
	stop, _ := strconv.Atoi(unit[1])
	patience, _ := strconv.Atoi(unit[2])
	if patience < stop+5 {
		t.Errorf("systemd waits %d s for a stop within %d s", patience, stop)
	}
}

type composeService struct {
	Image       string            `yaml:"image"`
	Grace       time.Duration     `yaml:"stop_grace_period"`
	Environment map[string]string `yaml:"environment"`
	Volumes     []string          `yaml:"volumes"`
	ReadOnly    bool              `yaml:"read_only"`
}

// Every node of the compose files has settings that serve takes, is waited for, and finds the files it mounts.
func TestComposeNodes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]map[string]int{
		"one-node": {"": 1},
		"cluster":  {"ingest": 2, "write,jobs": 2, "read,ui": 2},
	} {
		var file struct {
			Services map[string]composeService `yaml:"services"`
		}
		if err := yaml.Unmarshal([]byte(deployFile(t, "deploy/compose/"+name+".yaml")), &file); err != nil {
			t.Fatal(err)
		}
		roles := map[string]int{}
		for service, node := range file.Services {
			for _, volume := range node.Volumes {
				if from, _, _ := strings.Cut(volume, ":"); strings.HasPrefix(from, "./cluster/") {
					deployFile(t, "deploy/compose/"+from)
				}
			}
			if !strings.HasPrefix(node.Image, "sonde:") {
				continue
			}
			roles[node.Environment["SONDE_ROLE"]]++
			within, err := time.ParseDuration(node.Environment["SONDE_STOP_WITHIN"])
			if err != nil || node.Grace < within+5*time.Second || !node.ReadOnly {
				t.Errorf("%s %s: compose waits %s for a stop within %s, %v; read-only: %t", name, service, node.Grace, within, err, node.ReadOnly)
			}
			checkSettings(t, name+" "+service, node.Environment)
		}
		for role, nodes := range want {
			if roles[role] != nodes {
				t.Errorf("%s: nodes by role are %v, want %v", name, roles, want)
			}
		}
	}
}

// So does every node that the chart makes, of which tools/packaging.sh checks that it is what the golden files show.
func TestChartNodes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{"single": {"all"}, "cluster": {"ingest", "read,ui", "write,jobs"}} {
		var roles []string
		decoder := yaml.NewDecoder(strings.NewReader(deployFile(t, "deploy/helm/examples/"+name+".golden.yaml")))
		for {
			var object struct {
				Spec struct {
					Template struct {
						Spec struct {
							Containers []struct {
								Env []struct{ Name, Value string }
							}
						}
					}
				}
			}
			err := decoder.Decode(&object)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, container := range object.Spec.Template.Spec.Containers {
				settings := map[string]string{}
				if name == "cluster" { // what the Secret has
					settings["SONDE_ENCRYPTION_KEY"] = strings.Repeat("5a", 32)
					settings["SONDE_ENGINE_ADDRESS"] = "clickhouse://sonde:secret@127.0.0.1:1/sonde"
					settings["SONDE_METADATA_URL"] = "postgres://sonde:secret@127.0.0.1:1/sonde"
					settings["SONDE_EVENTLOG_ADDRESS"] = "nats://127.0.0.1:1"
				}
				for _, variable := range container.Env {
					settings[variable.Name] = variable.Value
				}
				delete(settings, "SONDE_DATA_DIR")
				roles = append(roles, settings["SONDE_ROLE"])
				checkSettings(t, name+" "+settings["SONDE_ROLE"], settings)
			}
		}
		slices.Sort(roles)
		if !slices.Equal(roles, want) {
			t.Errorf("%s: nodes have the roles %q, want %q", name, roles, want)
		}
	}
}

// checkSettings has the program look at the settings of a node, whose servers are not there.
func checkSettings(t *testing.T, node string, settings map[string]string) {
	t.Helper()
	env := environment(t, "SONDE_DATA_DIR="+t.TempDir())
	secret := regexp.MustCompile(`\$\{SONDE_ENCRYPTION_KEY[^}]*\}`)
	fallback := regexp.MustCompile(`\$\{\w+:-([^}]*)\}`)
	other := regexp.MustCompile(`\$\{[^}]*\}`)
	for key, value := range settings {
		value = fallback.ReplaceAllString(secret.ReplaceAllString(value, strings.Repeat("5a", 32)), "$1")
		value = strings.NewReplacer("@clickhouse-1:9000", "@127.0.0.1:1", "@clickhouse-2:9000", "@127.0.0.1:1", "@postgres:5432", "@127.0.0.1:1").
			Replace(other.ReplaceAllString(value, "secret"))
		value = regexp.MustCompile(`nats-\d:4222`).ReplaceAllString(value, "127.0.0.1:1")
		env = append(env, key+"="+value)
	}
	if got := run(t, env, "check"); !strings.HasPrefix(got.stdout, "ok    configuration\n") {
		t.Errorf("%s: %s%s", node, got.stdout, got.stderr)
	}
}

// The servers beside ours get files that they can read: NATS is asked itself, ClickHouse's must be XML.
func TestClusterFiles(t *testing.T) {
	t.Parallel()
	options, err := natsserver.ProcessConfigFile("../deploy/compose/cluster/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	if !options.JetStream || !options.SyncAlways || options.MaxPayload < 2<<20 || len(options.Routes) != 3 {
		t.Errorf("JetStream %t, synced always %t, payload %d, %d routes", options.JetStream, options.SyncAlways, options.MaxPayload, len(options.Routes))
	}
	decoder := xml.NewDecoder(strings.NewReader(deployFile(t, "deploy/compose/cluster/clickhouse.xml")))
	shards := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "shard" {
			shards++
		}
	}
	if shards != 2 {
		t.Errorf("ClickHouse has %d shards, want 2", shards)
	}
}
