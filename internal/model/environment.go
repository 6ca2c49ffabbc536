package model

import "strings"

// maxEnvironment is the longest name of an environment.
const maxEnvironment = 40

// NormalEnvironment brings a name into the form [a-z0-9-_]{1,40}; one that has no such form is
// the default environment. Names that begin with langfuse are kept for the server itself.
func NormalEnvironment(name string) string {
	name = strings.ToLower(name)
	for {
		rest, found := strings.CutPrefix(name, "langfuse")
		if !found {
			break
		}
		name = rest
		if name != "" && (name[0] == '-' || name[0] == '_') {
			name = name[1:]
		}
	}
	if len(name) > maxEnvironment {
		name = name[:maxEnvironment]
	}
	if name == "" {
		return DefaultEnvironment
	}
	for _, b := range []byte(name) {
		if (b < 'a' || b > 'z') && (b < '0' || b > '9') && b != '-' && b != '_' {
			return DefaultEnvironment
		}
	}
	return name
}
