// Package livetest holds what tests need around news: a bus in memory and the contract that every
// bus must keep.
package livetest

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/sondehq/sonde/internal/live"
)

// Network is an installation in memory: its nodes hear each other.
type Network struct {
	mu        sync.Mutex
	nodes     []*Node
	listeners map[string]map[int]func([]byte) // by project and number
	last      int
}

// NewNetwork returns an installation without nodes.
func NewNetwork() *Network { return &Network{listeners: map[string]map[int]func([]byte){}} }

// Node adds a node.
func (n *Network) Node() *Node {
	n.mu.Lock()
	defer n.mu.Unlock()
	node := &Node{network: n}
	n.nodes = append(n.nodes, node)
	return node
}

// Node is a live.Bus on one node.
type Node struct {
	network *Network
	about   func(string) []byte // guarded by the network's lock
}

var _ live.Bus = (*Node)(nil)

// Publish implements live.Bus.
func (n *Node) Publish(projectID string, message []byte) {
	n.network.mu.Lock()
	defer n.network.mu.Unlock()
	of := n.network.listeners[projectID]
	for _, number := range slices.Sorted(maps.Keys(of)) {
		of[number](message)
	}
}

// Heard implements live.Bus.
func (n *Node) Heard(projectID string) bool {
	n.network.mu.Lock()
	defer n.network.mu.Unlock()
	return len(n.network.listeners[projectID]) > 0
}

// Listen implements live.Bus.
func (n *Node) Listen(ctx context.Context, projectID string, hear func([]byte)) (func(), error) {
	n.network.mu.Lock()
	defer n.network.mu.Unlock()
	if n.network.listeners[projectID] == nil {
		n.network.listeners[projectID] = map[int]func([]byte){}
	}
	n.network.last++
	number := n.network.last
	n.network.listeners[projectID][number] = hear
	return func() {
		n.network.mu.Lock()
		defer n.network.mu.Unlock()
		delete(n.network.listeners[projectID], number)
	}, ctx.Err()
}

// Ask implements live.Bus.
func (n *Node) Ask(_ context.Context, projectID string) (answers [][]byte) {
	n.network.mu.Lock()
	var others []func(string) []byte
	for _, other := range n.network.nodes {
		if other != n && other.about != nil {
			others = append(others, other.about)
		}
	}
	n.network.mu.Unlock()
	for _, about := range others {
		answers = append(answers, about(projectID))
	}
	return answers
}

// Answer implements live.Bus.
func (n *Node) Answer(about func(projectID string) []byte) {
	n.network.mu.Lock()
	defer n.network.mu.Unlock()
	n.about = about
}
