package selfobs

// Version and Commit are set by the linker; see the Makefile.
var (
	Version = "dev"
	Commit  = "unknown"
)
