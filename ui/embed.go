// Package ui holds the files of the web interface as they are built into the program.
package ui

import (
	"embed"
	"io/fs"
)

//go:embed all:dist placeholder/index.html
var files embed.FS

// Files are what `make ui` built, or the placeholder where it was not run.
func Files() fs.FS {
	if _, err := fs.Stat(files, "dist/index.html"); err != nil {
		return Placeholder()
	}
	return folder("dist")
}

// Placeholder is one page that says how to build the rest.
func Placeholder() fs.FS { return folder("placeholder") }

func folder(name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // the names are ours, and valid
	}
	return sub
}
