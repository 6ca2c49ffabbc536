package cluster

import (
	"fmt"
	"os"
	"path/filepath"
)

// Built finds what make leaves below the root of the repository.
func Built(root string) (Options, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return Options{}, err
	}
	o := Options{
		Binary: filepath.Join(root, "bin", "sonde"), NATS: filepath.Join(root, ".cache", "tools", "nats-server"),
		S3: filepath.Join(root, ".cache", "tools", "s3server"), Library: filepath.Join(root, ".engine", "libchdb.so"),
	}
	for variable, path := range map[string]*string{"SONDE_BINARY": &o.Binary, "SONDE_ENGINE_LIBRARY": &o.Library, "SONDE_TEST_S3SERVER": &o.S3} {
		if value := os.Getenv(variable); value != "" {
			*path = value
		}
	}
	for path, target := range map[string]string{o.Binary: "build", o.NATS: "nats-server", o.S3: "s3server", o.Library: "engine"} {
		if _, err := os.Stat(path); err != nil {
			return Options{}, fmt.Errorf("there is no %s: run make %s", path, target)
		}
	}
	return o, nil
}
