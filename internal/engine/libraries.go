package engine

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed libraries.txt
var libraries string

// Published is the engine library that this version is tested with on one platform.
type Published struct {
	System, Arch string
	Package      string // what the registry it comes from calls it
	Version      string
	SHA256       string // of the library itself; empty where nobody has checked one yet
}

// PublishedFor is the library of a platform, in Go's words for it.
func PublishedFor(system, arch string) (Published, error) {
	for line := range strings.Lines(libraries) {
		field := strings.Fields(line)
		if len(field) != 5 || field[0] != system || field[1] != arch {
			continue
		}
		return Published{
			System: system, Arch: arch, Package: field[2], Version: field[3],
			SHA256: strings.TrimPrefix(field[4], "-"),
		}, nil
	}
	return Published{}, fmt.Errorf("there is no engine library for %s on %s: set engine.address to a ClickHouse server", system, arch)
}

// Archive is the name of the archive that a release offers the library in.
func (p Published) Archive() string {
	return fmt.Sprintf("sonde-engine_%s_%s_%s.tar.gz", p.Version, p.System, p.Arch)
}
