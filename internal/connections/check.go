package connections

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
)

// The bounds of a connection, far above what providers need.
const (
	maxKeyBytes    = 32 << 10
	maxHeaders     = 50
	maxHeaderBytes = 8 << 10
	maxModels      = 200
	maxModelRunes  = 200
	maxURLBytes    = 2 << 10
)

// Adapters are the APIs that providers speak.
var Adapters = []string{"anthropic", "openai", "azure", "bedrock", "google-vertex-ai", "google-ai-studio"}

// configRule is what the config of an adapter holds: one member.
type configRule struct {
	member   string
	flag     bool // a boolean, else a text
	required bool
}

// configs are the adapters that have a config.
var configs = map[string]configRule{
	"bedrock":          {member: "region", required: true},
	"openai":           {member: "useResponsesApi", flag: true},
	"google-vertex-ai": {member: "location"},
}

// check refuses a definition that no provider could be reached with. What it says never has a secret in it.
func (d *Definition) check() error {
	if err := metastore.CheckID("provider", d.Provider); err != nil {
		return err
	}
	if strings.TrimSpace(d.Provider) == "" {
		return fault.Invalidf("provider", "must not be empty")
	}
	if !slices.Contains(Adapters, d.Adapter) {
		return fault.Invalidf("adapter", "must be one of %s", strings.Join(Adapters, ", "))
	}
	if strings.TrimSpace(d.Key) == "" || len(d.Key) > maxKeyBytes {
		return fault.Invalidf("secretKey", "must be given, with at most %d bytes", maxKeyBytes)
	}
	for _, check := range []func() error{d.checkURL, d.checkModels, d.checkHeaders, d.checkConfig} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkURL also refuses credentials in the address: it is shown to whoever lists connections.
func (d *Definition) checkURL() error {
	if d.BaseURL == "" {
		return nil
	}
	u, err := url.Parse(d.BaseURL)
	if err != nil || len(d.BaseURL) > maxURLBytes || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fault.Invalidf("baseURL", "must be an address that starts with http:// or https://, of at most %d bytes", maxURLBytes)
	}
	if u.User != nil {
		return fault.Invalidf("baseURL", "must not hold credentials; send them in secretKey or extraHeaders")
	}
	return nil
}

func (d *Definition) checkModels() error {
	if len(d.Models) > maxModels {
		return fault.Invalidf("customModels", "must have at most %d names", maxModels)
	}
	for i, name := range d.Models {
		if name == "" || utf8.RuneCountInString(name) > maxModelRunes {
			return fault.Invalidf(fmt.Sprintf("customModels.%d", i), "must have 1 to %d characters", maxModelRunes)
		}
	}
	return nil
}

func (d *Definition) checkHeaders() error {
	if len(d.Headers) > maxHeaders {
		return fault.Invalidf("extraHeaders", "must have at most %d headers", maxHeaders)
	}
	for name, value := range d.Headers {
		if name == "" || len(name) > maxHeaderBytes || strings.ContainsFunc(name, notInName) {
			return fault.Invalidf("extraHeaders", "must have names of HTTP headers: letters, digits and !#$%%&'*+-.^_`|~")
		}
		if len(value) > maxHeaderBytes || strings.ContainsFunc(value, notInValue) {
			return fault.Invalidf("extraHeaders", "must have values of at most %d bytes without line breaks and control characters", maxHeaderBytes)
		}
	}
	return nil
}

func notInName(r rune) bool {
	letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	digit := '0' <= r && r <= '9'
	return !letter && !digit && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func notInValue(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

func (d *Definition) checkConfig() error {
	rule, has := configs[d.Adapter]
	switch {
	case d.Config == nil && rule.required:
		return fault.Invalidf("config", "must be given for %s: an object with %s", d.Adapter, rule.member)
	case d.Config == nil:
		return nil
	case !has:
		return fault.Invalidf("config", "must not be given for %s", d.Adapter)
	}
	value, given := d.Config[rule.member]
	if !given || len(d.Config) != 1 {
		return fault.Invalidf("config", "must be an object with %s and nothing else for %s", rule.member, d.Adapter)
	}
	if _, isFlag := value.(bool); rule.flag && !isFlag {
		return fault.Invalidf("config."+rule.member, "must be true or false")
	}
	if text, isText := value.(string); !rule.flag && (!isText || metastore.CheckID("", text) != nil) {
		return fault.Invalidf("config."+rule.member, "must be a text of 1 to %d bytes", metastore.MaxText)
	}
	return nil
}
