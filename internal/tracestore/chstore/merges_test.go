package chstore

import (
	"context"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

// newNode is a store and a way to its only node.
func newNode(t *testing.T) (*Store, *pool) {
	t.Helper()
	store := openStore(t, Config{})
	options, err := parseAddress(store.config.Nodes[0])
	if err != nil {
		t.Fatal(err)
	}
	node := newPool(options, 2)
	t.Cleanup(node.close)
	return store, node
}

func heldTables(t *testing.T, node *pool) uint64 {
	t.Helper()
	var n proto.ColUInt64
	err := one(t.Context(), node, "SELECT count() AS n FROM system.tables WHERE database = currentDatabase() AND position(create_table_query, 'max_bytes_to_merge_at_max_space_in_pool') > 0",
		proto.Results{{Name: "n", Data: &n}})
	if err != nil {
		t.Fatal(err)
	}
	return n.Row(0)
}

func run(t *testing.T, node *pool, statement string) {
	t.Helper()
	if err := node.do(t.Context(), ch.Query{Body: statement, Settings: []ch.Setting{setting("mutations_sync", 0)}}); err != nil {
		t.Fatal(err)
	}
}

// Merges wait while mutations are waited for in vain, and no longer: not when they are done, nor when the wait is given up.
func TestMergesWaitForMutations(t *testing.T) {
	t.Parallel()
	_, node := newNode(t)
	for name, end := range map[string]func(cancel func()){
		"given up": func(cancel func()) { cancel() },
		"done":     func(func()) { run(t, node, "SYSTEM START MERGES rejections") },
	} {
		run(t, node, "INSERT INTO rejections (project_id, at) VALUES ('p', now64(3))")
		run(t, node, "SYSTEM STOP MERGES rejections") // and mutations with them
		run(t, node, "ALTER TABLE rejections DELETE WHERE project_id = 'p'")
		waiting, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- awaitMutations(waiting, node, Config{}) }()
		for deadline := time.Now().Add(time.Minute); heldTables(t, node) != 1; <-time.After(erasePoll) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: merges do not wait", name)
			}
		}
		end(cancel)
		if err := <-ended; (err == nil) != (name == "done") {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
		if n := heldTables(t, node); n != 0 {
			t.Errorf("%s: the merges of %d tables still wait", name, n)
		}
		run(t, node, "SYSTEM START MERGES rejections")
	}
}

// What a process held that died is released by the next start.
func TestForgottenMergesAreReleased(t *testing.T) {
	t.Parallel()
	store, node := newNode(t)
	run(t, node, "ALTER TABLE payloads MODIFY SETTING "+mergeBounds)
	if n := heldTables(t, node); n != 1 {
		t.Fatalf("%d tables are held", n)
	}
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := heldTables(t, node); n != 0 {
		t.Errorf("the merges of %d tables still wait", n)
	}
}
