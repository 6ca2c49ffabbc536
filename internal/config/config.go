// Package config is every setting of the server in one struct: its flags, its environment
// variables, its file and its documentation come from the same tags.
package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Config is what `sonde serve` runs with. The defaults are right for one node.
type Config struct {
	DataDir       string        `default:"sonde-data" env:"SONDE_DATA_DIR" placeholder:"DIR" help:"Where everything is kept when no outside server is configured; ${default} unless given."`
	Listen        string        `default:"127.0.0.1:3000" env:"SONDE_LISTEN" placeholder:"HOST:PORT" help:"Address of the API; ${default} unless given."`
	GRPCListen    string        `name:"grpc-listen" default:"127.0.0.1:4317" env:"SONDE_GRPC_LISTEN" placeholder:"HOST:PORT" help:"Address of OTLP over gRPC, ${default} unless given; empty turns it off."`
	MetricsListen string        `default:"127.0.0.1:9464" env:"SONDE_METRICS_LISTEN" placeholder:"HOST:PORT" help:"Address of Prometheus metrics, ${default} unless given; empty turns it off."`
	PublicURL     string        `env:"SONDE_PUBLIC_URL" placeholder:"URL" help:"How clients reach this server, when it is behind a proxy; with a path when that is not the base path."`
	BasePath      string        `env:"SONDE_BASE_PATH" placeholder:"/PATH" help:"Path under which everything is served."`
	Role          []string      `default:"all" env:"SONDE_ROLE" enum:"all,ingest,write,read,jobs,ui" help:"What this process does: all, or any of ingest, write, read, jobs, ui; see docs/operate/cluster.md."`
	Cell          string        `env:"SONDE_CELL" placeholder:"NAME" help:"Cell that this process belongs to, where several share one metadata database; one without a name unless given. See docs/operate/cells.md."`
	StopWithin    time.Duration `default:"20s" env:"SONDE_STOP_WITHIN" help:"How long an orderly stop may take."`
	DrainFor      time.Duration `default:"0s" env:"SONDE_DRAIN_FOR" help:"How long a process that stops goes on serving while it says that it is not ready, so that a proxy in front sends its requests elsewhere; 3s behind sonde router."`

	EncryptionKey Secret `env:"SONDE_ENCRYPTION_KEY" placeholder:"KEY" help:"32 bytes in hex or base64 that seal the secrets kept for projects; all nodes must have the same. Made in the data directory unless given; see docs/operate/secrets.md."`
	AdminAPIKey   Secret `name:"admin-api-key" env:"SONDE_ADMIN_API_KEY" placeholder:"KEY" help:"Key with which organizations are managed under /api/admin; nobody does unless given. See docs/operate/access.md."`

	AuditDays int `default:"365" env:"SONDE_AUDIT_DAYS" help:"Days for which the audit log is kept; 0: for ever. See docs/operate/audit.md."`

	PricesFile string `env:"SONDE_PRICES_FILE" placeholder:"FILE" help:"List of model prices that replaces the built-in one; see docs/operate/prices.md."`

	MaxConnections int `default:"4096" env:"SONDE_MAX_CONNECTIONS" help:"Connections that each of the listeners has at once; further ones are closed."`

	BlobDir string `env:"SONDE_BLOB_DIR" placeholder:"DIR" help:"Where media are kept and large spans wait for the writer; nodes with roles of their own must share it. In the data directory unless given."`

	TextIndex bool `default:"true" negatable:"" env:"SONDE_TEXT_INDEX" help:"Index the words of input and output, so that searches for words are fast; on unless turned off. All nodes must have the same."`

	Logging  Logging  `embed:"" prefix:"logging-" envprefix:"SONDE_LOGGING_"`
	Eventlog Eventlog `embed:"" prefix:"eventlog-" envprefix:"SONDE_EVENTLOG_"`
	Engine   Engine   `embed:"" prefix:"engine-" envprefix:"SONDE_ENGINE_"`
	Metadata Metadata `embed:"" prefix:"metadata-" envprefix:"SONDE_METADATA_"`
	Reads    Reads    `embed:"" prefix:"reads-" envprefix:"SONDE_READS_"`
	Ingest   Ingest   `embed:"" prefix:"ingest-" envprefix:"SONDE_INGEST_"`
	API      API      `embed:"" prefix:"api-" envprefix:"SONDE_API_"`
	Media    Media    `embed:"" prefix:"media-" envprefix:"SONDE_MEDIA_"`
	BlobS3   BlobS3   `embed:"" prefix:"blob-s3-" envprefix:"SONDE_BLOB_S3_"`
	Export   Export   `embed:"" prefix:"export-" envprefix:"SONDE_EXPORT_"`

	Evaluation Evaluation `embed:"" prefix:"evaluation-" envprefix:"SONDE_EVALUATION_"`
	Init       Init       `embed:"" prefix:"init-" envprefix:"SONDE_INIT_"`

	Retention Retention `embed:"" prefix:"retention-" envprefix:"SONDE_RETENTION_"`
	TLS       TLS       `embed:"" prefix:"tls-" envprefix:"SONDE_TLS_"`
	OIDC      OIDC      `embed:"" prefix:"oidc-" envprefix:"SONDE_OIDC_"`
	SMTP      SMTP      `embed:"" prefix:"smtp-" envprefix:"SONDE_SMTP_"`
	Outbound  Outbound  `embed:"" prefix:"outbound-" envprefix:"SONDE_OUTBOUND_"`
	SelfTrace SelfTrace `embed:"" prefix:"self-trace-" envprefix:"SONDE_SELF_TRACE_"`
	SQL       SQL       `embed:"" prefix:"sql-" envprefix:"SONDE_SQL_"`
	RateLimit RateLimit `embed:"" prefix:"rate-limit-" envprefix:"SONDE_RATE_LIMIT_"`
}

// SQL is whether and where queries that people write are asked; see docs/operate/sql.md.
type SQL struct {
	Enabled bool   `default:"false" negatable:"" env:"ENABLED" help:"Answer SQL that people write over the rows of their project, under POST /api/public/sql."`
	Address Secret `env:"ADDRESS" placeholder:"clickhouse://…" help:"With a ClickHouse outside: its address under the user for such queries, whose rights docs/operate/sql.md names. Needs no setting with the embedded engine."`
}

// SMTP is how email of alerts leaves; see docs/operate/alerts.md.
type SMTP struct {
	Address  string `env:"ADDRESS" placeholder:"HOST:PORT" help:"SMTP server that takes the email of alerts; no email is sent unless given."`
	From     string `env:"FROM" placeholder:"EMAIL" help:"Who that email is from, such as sonde@example.com."`
	User     string `env:"USER" placeholder:"NAME" help:"Name to sign in with at the SMTP server; empty: without signing in."`
	Password Secret `env:"PASSWORD" placeholder:"SECRET" help:"Password of that name."`
	TLS      string `name:"tls" default:"starttls" enum:"starttls,tls,none" env:"TLS" help:"How the connection is secured: starttls, tls from the first byte on, or none, for a server of this machine."`
}

// SelfTrace is where traces of the server itself go; see docs/operate/watching.md.
type SelfTrace struct {
	Endpoint string  `env:"ENDPOINT" placeholder:"URL" help:"OTLP receiver over gRPC, such as http://collector:4317, that gets traces of this server's own slow and failed requests, batches and jobs; none are sent unless given."`
	Headers  Secret  `env:"HEADERS" placeholder:"NAME=VALUE,…" help:"Headers sent with them, such as authorization=Basic …."`
	Ratio    float64 `default:"0.01" env:"RATIO" help:"Share of quick and successful requests and batches that is sent, too."`
}

// Header reads the headers.
func (s *SelfTrace) Header() (map[string]string, error) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(s.Headers.Reveal(), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		if name = strings.ToLower(strings.TrimSpace(name)); !ok || name == "" {
			return nil, errors.New("self-trace-headers must look like name=value,name=value")
		}
		headers[name] = strings.TrimSpace(value)
	}
	return headers, nil
}

func (s *SelfTrace) verify(complain func(ok bool, format string, args ...any)) {
	if s.Endpoint != "" {
		u, err := url.Parse(s.Endpoint)
		complain(err == nil && u.Hostname() != "" && u.Port() != "" && (u.Scheme == "http" || u.Scheme == "https"), "self-trace-endpoint must look like http://collector:4317, got %q", s.Endpoint)
	}
	_, err := s.Header()
	complain(err == nil, "%v", err)
	complain(s.Ratio >= 0 && s.Ratio <= 1, "self-trace-ratio must be between 0 and 1, got %v", s.Ratio)
}

// Outbound bounds which servers are called at addresses that people of projects name; see docs/operate/llm-connections.md.
type Outbound struct {
	Endpoints []string `env:"ENDPOINTS" placeholder:"URL,…" help:"Servers that projects may have called, such as those of LLM connections, although they have private addresses or no https. Public ones by https are allowed anyway."`
}

// OIDC is a provider through which people sign in; see docs/operate/oidc.md.
type OIDC struct {
	Issuer         string   `env:"ISSUER" placeholder:"URL" help:"Address of an OpenID Connect provider through which people sign in, as it spells it itself; nobody does unless given."`
	ClientID       string   `name:"client-id" env:"CLIENT_ID" placeholder:"ID" help:"What the provider calls this server."`
	ClientSecret   Secret   `env:"CLIENT_SECRET" placeholder:"SECRET" help:"This server's secret at the provider; empty: it is a public client there."`
	Name           string   `default:"single sign-on" env:"NAME" help:"What people call the provider: the text of the button after \"Sign in with\"."`
	AllowedDomains []string `env:"ALLOWED_DOMAINS" placeholder:"DOMAIN,…" help:"Domains of email addresses that are let in through the provider; empty: all."`
	DefaultRole    string   `env:"DEFAULT_ROLE" placeholder:"ROLE" help:"Role in the oldest organization of those whom the provider sends for the first time: ADMIN, MEMBER or VIEWER; empty: only those who have an account or an invitation are let in."`
}

// Retention is how long projects without a retention of their own keep data; see docs/operate/retention.md.
type Retention struct {
	Days        int           `default:"0" env:"DAYS" help:"Days for which observations and scores are kept; 0: for ever."`
	PayloadDays int           `default:"0" env:"PAYLOAD_DAYS" help:"Days for which their inputs, outputs and media are kept; 0: as long as the rows."`
	Every       time.Duration `default:"24h" env:"EVERY" help:"Time between two looks for what is too old."`
}

// TLS is the certificate that the API and OTLP over gRPC are served with; see docs/operate/tls.md.
type TLS struct {
	Cert string `env:"CERT" placeholder:"FILE" help:"Certificate in PEM, with those between it and the root behind it. A file that changes is read again."`
	Key  string `env:"KEY" placeholder:"FILE" help:"Private key of the certificate, in PEM."`
}

// Logging is the server's own log.
type Logging struct {
	Format string `default:"text" env:"FORMAT" enum:"text,json" help:"Form of the server's own log: text or json."`
	Level  string `default:"info" env:"LEVEL" enum:"debug,info,warn,error" help:"Least level that is logged."`
}

// Eventlog is the durable ingest log.
type Eventlog struct {
	Address    Secret        `env:"ADDRESS" placeholder:"nats://…" help:"NATS server with JetStream; empty: embedded in this process."`
	Partitions int           `default:"4" env:"PARTITIONS" help:"Partitions of the log; in a cluster 16 is a good number."`
	Replicas   int           `default:"1" env:"REPLICAS" help:"Copies of each partition on an outside NATS cluster."`
	Capacity   Bytes         `default:"8GiB" env:"CAPACITY" help:"Largest size of the log; a full log refuses new data with 503."`
	Keep       time.Duration `default:"2h" env:"KEEP" help:"How long stored envelopes stay in the log for a replay."`

	DeadLetters Bytes `default:"256MiB" env:"DEAD_LETTERS" help:"Room for records that cannot be stored; when it is full such records stay in the log."`
}

// Engine is the trace store.
type Engine struct {
	Address    []Secret `env:"ADDRESS" placeholder:"clickhouse://…" help:"ClickHouse servers (user, password, database in the address); empty: an engine started by this process."`
	Cluster    string   `env:"CLUSTER" help:"Name of the ClickHouse cluster over whose shards traces are spread."`
	Replicated bool     `env:"REPLICATED" help:"Create replicated tables; needs servers with a Keeper."`
	Library    string   `env:"LIBRARY" placeholder:"FILE" help:"libchdb to start the engine from; found beside the program by itself."`
	Binary     string   `env:"BINARY" placeholder:"FILE" help:"clickhouse program to start instead of the library."`
	Memory     Bytes    `default:"1400MiB" env:"MEMORY" help:"Memory the engine may use."`
}

// Metadata is the relational store.
type Metadata struct {
	URL Secret `env:"URL" placeholder:"postgres://…" help:"PostgreSQL for organizations, projects and keys; empty: SQLite in the data directory."`
}

// Reads bounds what answering takes; see docs/operate/reads.md.
type Reads struct {
	Within     time.Duration `default:"30s" env:"WITHIN" help:"How long one read may take; a longer one is answered with 422."`
	Memory     Bytes         `default:"0" env:"MEMORY" help:"Memory of the engine that one read may use, else 422; 0: a third of engine-memory."`
	Rows       uint64        `default:"500000000" env:"ROWS" help:"Rows that one read may go through, else 422."`
	AtOnce     int           `default:"8" env:"AT_ONCE" help:"Reads that the engine works on at once; others wait, for 10s at most, then get 503."`
	PerProject int           `default:"4" env:"PER_PROJECT" help:"How many of them may be of one project."`
}

// Ingest bounds what comes in.
type Ingest struct {
	MaxBody     Bytes  `default:"64MiB" env:"MAX_BODY" help:"Largest request body, decompressed."`
	Memory      Bytes  `default:"512MiB" env:"MEMORY" help:"Memory that the bodies of all requests have together; who finds none waits shortly, then gets 503."`
	DiskReserve Bytes  `default:"512MiB" env:"DISK_RESERVE" help:"Free disk below which new data is refused with 503, so that what is already taken can still be stored."`
	Legacy      string `default:"accept" env:"LEGACY" enum:"accept,scores-only" help:"What POST /api/public/ingestion takes: accept traces, observations and scores of older SDKs, or scores-only."`
}

// API is what the public API serves.
type API struct {
	DeprecatedReads bool `default:"true" negatable:"" env:"DEPRECATED_READS" help:"Serve the reads and writes of older SDKs that newer ones have replaced, such as /api/public/traces; on unless turned off: then they answer 404."`
}

// Media are images, sounds and documents that observations refer to.
type Media struct {
	Extract   bool  `default:"true" negatable:"" env:"EXTRACT" help:"Take data URIs and other base64 content out of spans and leave references; on unless turned off."`
	MaxLength Bytes `default:"1000000000" env:"MAX_LENGTH" help:"Largest content in bytes."`
}

// BlobS3 is object storage for media and large spans, instead of a directory.
type BlobS3 struct {
	Bucket    string `env:"BUCKET" help:"Bucket for media and large spans, instead of blob-dir; it must be there. Empty: a directory."`
	Endpoint  string `env:"ENDPOINT" placeholder:"URL" help:"Address of the S3 server; empty: Amazon S3 in the region."`
	Region    string `default:"us-east-1" env:"REGION" help:"Region of the bucket."`
	Prefix    string `env:"PREFIX" help:"What the names of objects begin with, such as sonde/."`
	AccessKey string `env:"ACCESS_KEY" help:"Access key; empty: AWS_ACCESS_KEY_ID of the environment."`
	SecretKey Secret `env:"SECRET_KEY" help:"Secret of the access key."`
	PathStyle bool   `env:"PATH_STYLE" help:"Name the bucket in the path rather than in the host, as most servers but Amazon's want it."`
}

// Evaluation says how rules are applied; see docs/operate/evaluators.md.
type Evaluation struct {
	Lag time.Duration `default:"20s" env:"LAG" help:"How long after it was accepted a row is evaluated at the earliest; more than the clocks of nodes differ by, and than older clients take to complete a row."`
}

// Export bounds where scheduled exports may write to; see docs/operate/export.md.
type Export struct {
	Dir       string        `env:"DIR" placeholder:"DIR" help:"Directory that exports of the type DIRECTORY write to; empty: there are none. Nodes must share it."`
	Lag       time.Duration `default:"2m" env:"LAG" help:"How long after its end a window is exported at the earliest; more than the clocks of nodes differ by."`
	Endpoints []string      `env:"ENDPOINTS" placeholder:"URL,…" help:"S3 servers that exports may write to, and no others; http and private addresses are fine here. Empty: any public one by https."`
}

// Init is what the first start creates.
type Init struct {
	Organization     string `default:"My organization" env:"ORGANIZATION" help:"Name of the organization that a first start creates."`
	Project          string `default:"My project" env:"PROJECT" help:"Name of the project that a first start creates."`
	ProjectID        string `env:"PROJECT_ID" help:"Id of that project; random when empty."`
	ProjectPublicKey string `env:"PROJECT_PUBLIC_KEY" help:"Public key of that project; random when empty."`
	ProjectSecretKey Secret `env:"PROJECT_SECRET_KEY" help:"Secret key of that project; random and printed once when empty."`
	UserEmail        string `env:"USER_EMAIL" placeholder:"EMAIL" help:"Email of a first user, who owns that organization; nobody unless given."`
	UserName         string `env:"USER_NAME" help:"Name of that user."`
	UserPassword     Secret `env:"USER_PASSWORD" help:"Password of that user; random and printed once when empty."`
}

// Secret is a setting that must not be printed.
type Secret string

// String hides the value.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "***"
}

// Reveal returns the value itself.
func (s Secret) Reveal() string { return string(s) }

// Runs reports whether this process has a role.
func (c *Config) Runs(role string) bool {
	return slices.Contains(c.Role, "all") || slices.Contains(c.Role, role)
}

// NeedsLog reports whether this process takes, stores or works on spans, and so cannot do without the ingest log. One
// that serves reads does without it while it is away.
func (c *Config) NeedsLog() bool { return c.Runs("ingest") || c.Runs("write") || c.Runs("jobs") }

// NeedsStore reports whether this process stores, reads or works on spans, and so needs the trace store.
func (c *Config) NeedsStore() bool { return c.Runs("write") || c.Runs("read") || c.Runs("jobs") }

// cellName is what cells are called; one may have no name.
var cellName = regexp.MustCompile(`^([a-z0-9][a-z0-9-]{0,31})?$`)

// minAdminKey is the least length of the admin key, which may be tried without end.
const minAdminKey = 16

// Verify reports everything that is wrong, not just the first. It is not called Validate, because
// kong would call that itself, and `sonde doctor` could not show it beside its other findings.
func (c *Config) Verify() error {
	var errs []error
	complain := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	complain(c.DataDir != "", "data-dir must name a directory")
	complain(validAddress(c.Listen), "listen must look like 127.0.0.1:3000, got %q", c.Listen)
	complain(c.GRPCListen == "" || validAddress(c.GRPCListen), "grpc-listen must look like 127.0.0.1:4317, got %q", c.GRPCListen)
	complain(cellName.MatchString(c.Cell), "cell must be a name of up to 32 lower-case letters, digits and dashes, got %q", c.Cell)
	complain(c.DrainFor >= 0, "drain-for must not be negative, got %s", c.DrainFor)
	complain(c.MaxConnections > 0, "max-connections must be positive, got %d", c.MaxConnections)
	complain(c.MetricsListen == "" || validAddress(c.MetricsListen), "metrics-listen must look like 127.0.0.1:9464, got %q", c.MetricsListen)
	complain(c.BasePath == "" || strings.HasPrefix(c.BasePath, "/") && !strings.HasSuffix(c.BasePath, "/"), "base-path must start with a slash and not end with one, got %q", c.BasePath)
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		complain(err == nil && u.Host != "", "public-url must be an address like https://sonde.example.com, got %q", c.PublicURL)
	}
	c.verifyStores(complain)
	c.verifyWork(complain)
	complain(c.AdminAPIKey == "" || len(c.AdminAPIKey) >= minAdminKey, "admin-api-key must have at least %d characters", minAdminKey)
	complain(c.Init.UserEmail != "" || c.Init.UserName == "" && c.Init.UserPassword == "", "init-user-name and init-user-password need init-user-email")
	c.OIDC.verify(complain)
	c.SelfTrace.verify(complain)
	c.RateLimit.verify(complain)
	complain((c.TLS.Cert == "") == (c.TLS.Key == ""), "tls-cert and tls-key go together")
	complain((c.Init.ProjectPublicKey == "") == (c.Init.ProjectSecretKey == ""), "init-project-public-key and init-project-secret-key go together")
	return errors.Join(errs...)
}

// verifyStores is about where things are kept.
func (c *Config) verifyStores(complain func(ok bool, format string, args ...any)) {
	complain(c.Eventlog.Partitions > 0 && c.Eventlog.Partitions <= 256, "eventlog-partitions must be between 1 and 256, got %d", c.Eventlog.Partitions)
	complain(c.Eventlog.Capacity >= 32<<20, "eventlog-capacity must be at least 32MiB, got %s", c.Eventlog.Capacity)
	complain(c.Eventlog.DeadLetters >= 4<<20, "eventlog-dead-letters must be at least 4MiB, got %s", c.Eventlog.DeadLetters)
	complain(c.Engine.Cluster == "" || len(c.Engine.Address) > 0, "engine-cluster needs engine-address")
	complain(!c.Engine.Replicated || c.Engine.Cluster != "", "engine-replicated needs engine-cluster")
	complain(c.Engine.Memory >= 256<<20, "engine-memory must be at least 256MiB, got %s", c.Engine.Memory)
	complain(c.BlobDir == "" || c.BlobS3.Bucket == "", "blob-dir and blob-s3-bucket exclude each other: say where blobs are kept once")
	complain((c.BlobS3.AccessKey == "") == (c.BlobS3.SecretKey == ""), "blob-s3-access-key and blob-s3-secret-key go together")
	complain(c.SMTP.Address == "" || validAddress(c.SMTP.Address), "smtp-address must look like smtp.example.com:587, got %q", c.SMTP.Address)
	complain(c.SMTP.Address == "" || c.SMTP.From != "", "smtp-address needs smtp-from")
	complain(c.Evaluation.Lag > 0, "evaluation-lag must be positive, got %s", c.Evaluation.Lag)
	complain(c.Export.Lag > 0, "export-lag must be positive, got %s", c.Export.Lag)
	for _, endpoint := range c.Outbound.Endpoints {
		u, err := url.Parse(endpoint)
		complain(err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https"), "outbound-endpoints must be addresses like http://models.internal:8080, got %q", endpoint)
	}
	for _, endpoint := range c.Export.Endpoints {
		u, err := url.Parse(endpoint)
		complain(err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https"), "export-endpoints must be addresses like https://s3.example.com, got %q", endpoint)
	}
}

// verifyWork is about what is taken, read and removed.
func (c *Config) verifyWork(complain func(ok bool, format string, args ...any)) {
	complain(c.Reads.Within >= time.Second, "reads-within must be at least 1s, got %s", c.Reads.Within)
	complain(c.Reads.Rows > 0, "reads-rows must be positive")
	complain(c.Reads.PerProject > 0 && c.Reads.PerProject <= c.Reads.AtOnce, "reads-per-project must be between 1 and reads-at-once, which is %d, got %d", c.Reads.AtOnce, c.Reads.PerProject)
	complain(c.Ingest.MaxBody > 0, "ingest-max-body must be positive")
	complain(c.Media.MaxLength > 0 && c.Media.MaxLength <= 1<<50, "media-max-length must be between 1 byte and 1024TiB, got %s", c.Media.MaxLength)
	complain(c.Ingest.Memory >= 6*c.Ingest.MaxBody, "ingest-memory must be at least six times ingest-max-body, which is %s, got %s", c.Ingest.MaxBody, c.Ingest.Memory)
	complain(c.Retention.Days >= 0 && c.Retention.PayloadDays >= 0, "retention-days and retention-payload-days must not be negative")
	complain(c.Retention.Days == 0 || c.Retention.PayloadDays <= c.Retention.Days, "retention-payload-days must not be above retention-days, which is %d, got %d", c.Retention.Days, c.Retention.PayloadDays)
	complain(c.AuditDays >= 0, "audit-days must not be negative")
	complain(c.Retention.Every >= time.Second, "retention-every must be at least 1s, got %s", c.Retention.Every)
}

func (o *OIDC) verify(complain func(ok bool, format string, args ...any)) {
	if o.Issuer == "" {
		complain(o.ClientID == "" && o.ClientSecret == "" && len(o.AllowedDomains) == 0 && o.DefaultRole == "", "oidc settings need oidc-issuer")
		return
	}
	u, err := url.Parse(o.Issuer)
	complain(err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.RawQuery == "" && u.Fragment == "" && u.User == nil,
		"oidc-issuer must be an address like https://id.example.com, got %q", o.Issuer)
	complain(o.ClientID != "", "oidc-issuer needs oidc-client-id")
	complain(o.Name != "", "oidc-name must not be empty")
	for _, domain := range o.AllowedDomains {
		complain(domain != "" && !strings.ContainsAny(domain, "@/:* "), "oidc-allowed-domains must be domains like example.com, got %q", domain)
	}
	complain(o.DefaultRole == "" || slices.Contains([]string{"ADMIN", "MEMBER", "VIEWER"}, o.DefaultRole), "oidc-default-role must be ADMIN, MEMBER or VIEWER, got %q", o.DefaultRole)
}

func validAddress(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && port != ""
}

// ConfiguredURL is public-url, or empty. One without a path of its own gets the base path.
func (c *Config) ConfiguredURL() string {
	u, err := url.Parse(c.PublicURL)
	if err == nil && c.PublicURL != "" && strings.Trim(u.Path, "/") == "" {
		return strings.TrimRight(c.PublicURL, "/") + c.BasePath
	}
	return strings.TrimSuffix(c.PublicURL, "/")
}

// BaseURL is where to point a client.
func (c *Config) BaseURL() string {
	if configured := c.ConfiguredURL(); configured != "" {
		return configured
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return ""
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "localhost"
	}
	scheme := "http://"
	if c.TLS.Cert != "" {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port) + c.BasePath
}
