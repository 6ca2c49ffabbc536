package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// awaitReceipt waits until the receipt of an export has a status.
func (c *client) awaitReceipt(taken answer, want string) {
	c.t.Helper()
	id := taken.header.Get("X-Sonde-Receipt")
	if id == "" {
		c.t.Fatal("the answer has no receipt")
	}
	eventually(c.t, 20*time.Second, "the receipt says "+want, func() error {
		var state struct{ Status string }
		a, err := c.do(http.MethodGet, "/api/public/receipts/"+id, nil)
		if err == nil {
			err = a.err()
		}
		if err == nil {
			err = json.Unmarshal([]byte(a.body), &state)
		}
		if err == nil && state.Status != want {
			err = fmt.Errorf("it says %s", a.body)
		}
		return err
	})
}

// A receipt is worth something when the server died: it was accepted, so it will be stored.
func TestReceiptOutlivesTheServer(t *testing.T) {
	s := startNode(t)
	taken, err := s.client().export(inJSON(t, newSpans(5)...))
	if err != nil || taken.err() != nil {
		t.Fatalf("%v %v", err, taken.err())
	}
	engine := s.engine()
	s.signal(s.pid(), syscall.SIGKILL)
	s.waitExit(20 * time.Second)
	eventually(t, 20*time.Second, "the engine ends with its server", func() error {
		if running(engine) {
			return fmt.Errorf("process %d runs", engine)
		}
		return nil
	})
	s.start()
	s.client().awaitReceipt(taken, "stored")
}
