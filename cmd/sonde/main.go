// Command sonde is the Sonde server and its tools in one binary.
package main

import (
	"os"

	"github.com/sondehq/sonde/internal/app"
)

func main() { os.Exit(app.Main(os.Args[1:], os.Stdout, os.Stderr)) }
