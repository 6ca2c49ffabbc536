package outbound

import "net"

// NewGuardWith is a guard that asks another server for names.
func NewGuardWith(names *net.Resolver, endpoints ...string) *Guard { return newGuard(endpoints, names) }
