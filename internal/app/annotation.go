package app

import "github.com/sondehq/sonde/internal/annotation"

// annotations keeps comments and queues. A node without a trace store serves no route that asks it.
func (n *node) annotations() *annotation.Service {
	var traces annotation.Traces
	if n.store != nil {
		traces = n.store
	}
	return annotation.New(n.meta, traces, n.meta, n.meta)
}
