package config_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sondehq/sonde/internal/config"
)

// parse reads flags and a file as the program does.
func parse(t *testing.T, file string, args ...string) (config.Config, error) {
	t.Helper()
	var c config.Config
	options := []kong.Option{kong.Name("sonde"), kong.Writers(io.Discard, io.Discard)}
	if file != "" {
		resolver, err := config.FromYAML(strings.NewReader(file))
		if err != nil {
			return c, err
		}
		options = append(options, kong.Resolvers(resolver))
	}
	parser, err := kong.New(&c, options...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return c, err
}

func TestDefaultsAreRight(t *testing.T) {
	t.Parallel()
	c, err := parse(t, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Verify(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
	if got := c.BaseURL(); got != "http://127.0.0.1:3000" {
		t.Errorf("base URL %s", got)
	}
	for _, role := range []string{"ingest", "write", "read"} {
		if !c.Runs(role) {
			t.Errorf("role %s does not run by default", role)
		}
	}
}

func TestFileAndFlags(t *testing.T) {
	t.Parallel()
	file := `
listen: 0.0.0.0:8080
role: [ingest, read]
eventlog:
  keep: 4h
  capacity: 2GiB
engine:
  address: ["clickhouse://a:1/d", "clickhouse://b:2/d"]
`
	c, err := parse(t, file, "--eventlog-keep=1h")
	if err != nil {
		t.Fatal(err)
	}
	if c.Eventlog.Keep != time.Hour || c.Eventlog.Capacity != 2<<30 || len(c.Engine.Address) != 2 {
		t.Errorf("got %+v", c)
	}
	if c.Runs("write") || !c.Runs("read") {
		t.Errorf("roles %v", c.Role)
	}
	if got := c.BaseURL(); got != "http://localhost:8080" {
		t.Errorf("base URL %s", got)
	}
}

func TestUnknownKeyIsRefused(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"nope: 1", "eventlog: {kep: 4h}", "- list", "a: b: c"} {
		if _, err := parse(t, file); err == nil {
			t.Errorf("file %q is accepted", file)
		}
	}
}

func TestVerifyNamesEveryFault(t *testing.T) {
	t.Parallel()
	c, err := parse(t, "", "--listen=nope", "--base-path=x/", "--public-url=::", "--eventlog-partitions=0", "--eventlog-capacity=1MiB",
		"--engine-cluster=c", "--engine-memory=1", "--init-project-public-key=pk", "--metrics-listen=x")
	if err != nil {
		t.Fatal(err)
	}
	err = c.Verify()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, name := range []string{"listen", "base-path", "public-url", "eventlog-partitions", "eventlog-capacity", "engine-cluster", "engine-memory", "init-project", "metrics-listen"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named in:\n%v", name, err)
		}
	}
}

func TestOIDCSettings(t *testing.T) {
	t.Parallel()
	const good = "oidc: {issuer: 'https://id.example.com', client_id: sonde, client_secret: hunter2, allowed_domains: [example.com, example.org], default_role: VIEWER}"
	c, err := parse(t, good)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Verify(); err != nil || c.OIDC.Name != "single sign-on" || len(c.OIDC.AllowedDomains) != 2 {
		t.Errorf("%+v: %v", c.OIDC, err)
	}
	if shown := fmt.Sprintf("%+v", c); strings.Contains(shown, "hunter2") {
		t.Errorf("the secret is shown: %s", shown)
	}
	for _, tt := range []struct{ arg, words string }{
		{"--oidc-issuer=", "oidc settings need oidc-issuer"},
		{"--oidc-issuer=id.example.com", "oidc-issuer must be an address"},
		{"--oidc-issuer=https://id.example.com?x=1", "oidc-issuer must be an address"},
		{"--oidc-issuer=https://user:pass@id.example.com", "oidc-issuer must be an address"},
		{"--oidc-client-id=", "needs oidc-client-id"},
		{"--oidc-allowed-domains=@example.com", "oidc-allowed-domains must be"},
		{"--oidc-default-role=OWNER", "oidc-default-role must be"},
		{"--oidc-default-role=member", "oidc-default-role must be"},
		{"--oidc-name=", "oidc-name must not"},
	} {
		c, err := parse(t, good, tt.arg)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Verify(); err == nil || !strings.Contains(err.Error(), tt.words) {
			t.Errorf("%s: %v, want %q", tt.arg, err, tt.words)
		}
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	s := config.Secret("hunter2")
	if s.String() != "***" || config.Secret("").String() != "" || s.Reveal() != "hunter2" {
		t.Errorf("a secret prints as %s", s)
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]config.Bytes{"0": 0, "17": 17, "1KiB": 1024, "512MiB": 512 << 20, "3 GiB": 3 << 30, "2TiB": 2 << 40, "64KB": 64_000, "5B": 5} {
		var got config.Bytes
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: got %d (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "1.5GiB", "99999999999TiB", "MiB"} {
		var got config.Bytes
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is accepted as %d", text, got)
		}
	}
	for size, want := range map[config.Bytes]string{0: "0", 1000: "1000", 1024: "1KiB", 512 << 20: "512MiB", 1 << 40: "1TiB", 1536 << 20: "1536MiB"} {
		if got := size.String(); got != want {
			t.Errorf("%d prints as %s, want %s", uint64(size), got, want)
		}
	}
}

func TestPublicURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ public, base, want string }{
		{"https://a.test", "", "https://a.test"},
		{"https://a.test/", "/sonde", "https://a.test/sonde"},
		{"https://a.test", "/sonde", "https://a.test/sonde"},
		{"https://a.test/sonde/", "/sonde", "https://a.test/sonde"},
		{"https://a.test/other", "/sonde", "https://a.test/other"},
	} {
		set := config.Config{PublicURL: c.public, BasePath: c.base, Listen: "127.0.0.1:1"}
		if got := set.BaseURL(); got != c.want || set.ConfiguredURL() != c.want {
			t.Errorf("%q with base path %q: %s", c.public, c.base, got)
		}
	}
	listening := config.Config{BasePath: "/sonde", Listen: "127.0.0.1:1"}
	if listening.ConfiguredURL() != "" || listening.BaseURL() != "http://127.0.0.1:1/sonde" {
		t.Errorf("without one: %q, %q", listening.ConfiguredURL(), listening.BaseURL())
	}
}

func TestMediaSettings(t *testing.T) {
	t.Parallel()
	c, err := parse(t, "")
	if err != nil || !c.Media.Extract || c.Media.MaxLength != 1_000_000_000 {
		t.Errorf("by default: %+v, %v", c.Media, err)
	}
	if c, err = parse(t, "", "--no-media-extract", "--media-max-length=5MiB"); err != nil || c.Media.Extract || c.Media.MaxLength != 5<<20 {
		t.Errorf("by flags: %+v, %v", c.Media, err)
	}
	if c, err = parse(t, "media: {extract: false}"); err != nil || c.Media.Extract {
		t.Errorf("by the file: %+v, %v", c.Media, err)
	}
}

func TestRatesOfProjects(t *testing.T) {
	t.Parallel()
	c, err := parse(t, "", "--rate-limit-requests=2.5", "--rate-limit-project=a=10/500/1MiB,b=0/0/0")
	if err != nil || c.Verify() != nil {
		t.Fatal(err, c.Verify())
	}
	got, err := c.RateLimit.Projects()
	if err != nil || len(got) != 2 || got["a"] != (config.ProjectRate{Requests: 10, Spans: 500, Bytes: 1 << 20}) || got["b"] != (config.ProjectRate{}) {
		t.Errorf("Projects = %+v, %v", got, err)
	}
	for _, bad := range []string{"a", "a=1/2", "=1/2/3", "a=x/2/3", "a=-1/2/3", "a=1/2/-3", "a=1/2/3/4"} {
		if c, err := parse(t, "", "--rate-limit-project="+bad); err != nil || c.Verify() == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
