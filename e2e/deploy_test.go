package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// The files that people deploy with name settings that there are, and wait longer than a stop may take.
func TestDeployFilesFitTheProgram(t *testing.T) {
	t.Parallel()
	help := run(t, environment(t), "serve", "--help").stdout
	text := map[string]string{}
	for _, name := range []string{"Dockerfile", "compose.yaml", "deploy/sonde.service"} {
		content, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		text[name] = string(content)
		settings := regexp.MustCompile(`SONDE_[A-Z_]+`).FindAllString(text[name], -1)
		if len(settings) < 2 {
			t.Errorf("%s names %d settings", name, len(settings))
		}
		for _, setting := range settings {
			if !strings.Contains(help, "$"+setting) {
				t.Errorf("%s sets %s, which nobody reads", name, setting)
			}
		}
	}
	var compose struct {
		Services map[string]struct {
			Grace       time.Duration     `yaml:"stop_grace_period"`
			Environment map[string]string `yaml:"environment"`
			Volumes     []string          `yaml:"volumes"`
		} `yaml:"services"`
	}
	if err := yaml.Unmarshal([]byte(text["compose.yaml"]), &compose); err != nil {
		t.Fatal(err)
	}
	node := compose.Services["sonde"]
	within, err := time.ParseDuration(node.Environment["SONDE_STOP_WITHIN"])
	if err != nil || node.Grace < within+5*time.Second || len(node.Volumes) == 0 {
		t.Errorf("compose waits %s for a stop within %s, %v", node.Grace, within, err)
	}
	unit := regexp.MustCompile(`SONDE_STOP_WITHIN=(\d+)s[\s\S]*TimeoutStopSec=(\d+)`).FindStringSubmatch(text["deploy/sonde.service"])
	if unit == nil {
		t.Fatal("the unit says nothing about stops")
	}
	stop, _ := strconv.Atoi(unit[1])
	patience, _ := strconv.Atoi(unit[2])
	if patience < stop+5 {
		t.Errorf("systemd waits %d s for a stop within %d s", patience, stop)
	}
	if !strings.Contains(text["Dockerfile"], "USER 65532") || !strings.Contains(text["Dockerfile"], `HEALTHCHECK`) {
		t.Error("the image runs as root, or without a health check")
	}
}
