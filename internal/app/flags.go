package app

import "github.com/sondehq/sonde/internal/flagging"

// flags is what the API flags traces by, nil on a node without the store.
func (n *node) flags() *flagging.Service {
	if n.store == nil {
		return nil
	}
	return flagging.New(n.store)
}
