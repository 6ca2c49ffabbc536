package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"
)

// FromYAML reads a configuration file for kong. Its keys are the flags' names with sections for
// their prefixes: `eventlog: {keep: 4h}` is --eventlog-keep=4h. A key that no flag has is refused,
// because a setting that silently does nothing is worse than none.
func FromYAML(r io.Reader) (kong.Resolver, error) {
	var tree map[string]any
	if err := yaml.NewDecoder(r).Decode(&tree); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read configuration file: %w", err)
	}
	values := map[string]string{}
	flatten("", tree, values)
	return fileResolver(values), nil
}

func flatten(prefix string, value any, into map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		for key, child := range v {
			flatten(prefix+"-"+strings.ReplaceAll(key, "_", "-"), child, into)
		}
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			texts[i] = fmt.Sprint(item)
		}
		into[strings.TrimPrefix(prefix, "-")] = strings.Join(texts, ",")
	case nil:
	default:
		into[strings.TrimPrefix(prefix, "-")] = fmt.Sprint(v)
	}
}

type fileResolver map[string]string

// Validate refuses keys that no flag has.
func (f fileResolver) Validate(app *kong.Application) error {
	known := map[string]bool{}
	err := kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			known[flag.Name] = true
		}
		return next(nil)
	})
	if err != nil {
		return err
	}
	for key := range f {
		if !known[key] {
			return fmt.Errorf("configuration file: there is no setting %q", strings.Replace(key, "-", ".", 1))
		}
	}
	return nil
}

// Resolve gives a flag its value from the file, unless the environment has one: kong itself would
// let the file win.
func (f fileResolver) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Tag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil //nolint:nilnil // kong's way to say "not mine"
		}
	}
	if text, ok := f[flag.Name]; ok {
		return text, nil
	}
	return nil, nil //nolint:nilnil // kong's way to say "not mine"
}
