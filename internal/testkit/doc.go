// Package testkit holds what tests of several packages share: real servers on this machine, and a
// check of HTTP answers against their description. Only tests import it.
package testkit
