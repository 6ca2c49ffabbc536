package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sondehq/sonde/internal/annotation"
	"github.com/sondehq/sonde/internal/model"
)

// reviewed is an item under review as people read it.
type reviewed struct {
	Item *struct{ ID, Status string }
	Lock *struct {
		UserID string
		Mine   bool
	}
	CompletedByUserID *string
	Draft             json.RawMessage
}

// review asks as somebody who has signed in.
func (f *fixture) review(t *testing.T, b browser, method, path, body string, want int) (got reviewed) {
	t.Helper()
	a := f.send(t, b.asks(method, path, body))
	if a.status != want {
		t.Fatalf("%s %s: status %d, want %d: %s", method, path, a.status, want, a.body)
	}
	if want == http.StatusOK {
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatal(err)
		}
	}
	return got
}

// twoReviewers are people with a queue of three items.
type twoReviewers struct {
	*fixture
	ada, zoe browser
	queue    string // its path
}

func newTwoReviewers(t *testing.T) twoReviewers {
	t.Helper()
	f := newFixture(t)
	addPerson(t, f.tenants, "ada", "project-a", model.Member)
	addPerson(t, f.tenants, "zoe", "project-a", model.Member)
	queue := queues + "/" + f.queue(t, keyA, "both")
	for i := range 3 {
		f.call(t, "POST", queue+"/items", keyA, fmt.Sprintf(`{"objectType":"TRACE","objectId":"t%d"}`, i))
		time.Sleep(time.Millisecond) // in the bubble
	}
	return twoReviewers{f, f.signIn(t, "ada", "project-a"), f.signIn(t, "zoe", "project-a"), queue}
}

// Two people review one queue, and one of them is lost: nobody gets what another reviews, and what a lost one held is
// taken over after its end.
func TestTwoReviewers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newTwoReviewers(t)
		ada, zoe, queue := f.ada, f.zoe, f.queue
		first, second := f.review(t, ada, "POST", queue+"/next", `{}`, 200), f.review(t, zoe, "POST", queue+"/next", `{}`, 200)
		if first.Item.ID == second.Item.ID || !first.Lock.Mine || first.Lock.UserID != "ada" || second.Lock.UserID != "zoe" {
			t.Fatalf("both got %+v and %+v", first, second)
		}
		its, hers := queue+"/items/"+first.Item.ID, queue+"/items/"+second.Item.ID
		f.review(t, zoe, "PUT", its+"/lock", "", 409)
		f.review(t, zoe, "PUT", its+"/draft", `{"draft":{}}`, 409)
		f.review(t, zoe, "POST", its+"/completion", "", 409)
		if seen := f.review(t, zoe, "GET", its+"/review", "", 200); seen.Lock == nil || seen.Lock.Mine || seen.Lock.UserID != "ada" {
			t.Errorf("zoe sees %+v", seen.Lock)
		}
		f.review(t, ada, "PUT", its+"/draft", `{"draft":{"scores":{"c":{"value":"Good"}}}}`, 200)
		for _, body := range []string{`{"draft":[]}`, `{"draft":null}`, `{}`, `{"draft":{},"more":1}`} {
			f.review(t, ada, "PUT", its+"/draft", body, 400)
		}
		if again := f.review(t, ada, "POST", queue+"/next", `{}`, 200); again.Item.ID != first.Item.ID || string(again.Draft) != `{"scores":{"c":{"value":"Good"}}}` {
			t.Errorf("after a reload: %+v, draft %s", again.Item, again.Draft)
		}

		time.Sleep(annotation.HoldTime - time.Second)
		f.review(t, ada, "PUT", its+"/lock", "", 200) // zoe does not renew hers
		time.Sleep(2 * time.Second)
		taken := f.review(t, ada, "POST", queue+"/next", `{"fromItemId":"`+first.Item.ID+`"}`, 200)
		if taken.Item.ID != second.Item.ID || string(taken.Draft) != "null" {
			t.Errorf("ada should have got what zoe lost, got %+v", taken)
		}
		f.review(t, zoe, "POST", hers+"/completion", "", 409)
		f.completeAll(t, its, hers)
	})
}

// completeAll ends a review in which ada holds both items.
func (f twoReviewers) completeAll(t *testing.T, its, hers string) {
	ada, zoe, queue := f.ada, f.zoe, f.queue
	f.review(t, ada, "POST", hers+"/completion", "", 200)
	f.review(t, ada, "PUT", hers+"/lock", "", 409)
	f.review(t, zoe, "DELETE", hers+"/completion", "", 409)
	if back := f.review(t, ada, "DELETE", hers+"/completion", "", 200); back.Item.Status != "PENDING" || !back.Lock.Mine {
		t.Errorf("taken back: %+v", back)
	}
	f.review(t, ada, "POST", hers+"/completion", "", 200)
	f.review(t, ada, "DELETE", its+"/lock", "", 200)

	got := f.send(t, ada.asks("GET", queue+"/progress", ""))
	if !strings.Contains(got.body, `"pending":2,"completed":1,"locks":[]`) {
		t.Errorf("progress: %s", got.body)
	}
	for range 2 {
		next := f.review(t, zoe, "POST", queue+"/next", `{}`, 200)
		f.review(t, zoe, "POST", queue+"/items/"+next.Item.ID+"/completion", "", 200)
	}
	if none := f.review(t, zoe, "POST", queue+"/next", `{}`, 200); none.Item != nil || none.Lock != nil {
		t.Errorf("of an empty queue: %+v", none)
	}
	f.review(t, zoe, "POST", queues+"/none/next", `{}`, 404)
	f.review(t, zoe, "POST", queue+"/next", `{"direction":"up"}`, 400)
}

func TestChangedQueue(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id, other := f.queue(t, keyA, "one"), f.queue(t, keyA, "two")
	config := f.scoreConfig(t, keyA)
	body := func(name, config string) string {
		return fmt.Sprintf(`{"name":%q,"scoreConfigIds":[%q]}`, name, config)
	}
	for _, c := range []asking{
		{"PUT", queues + "/" + id, body("two", config), 400},
		{"PUT", queues + "/" + id, body("new", "none"), 400},
		{"PUT", queues + "/" + id, body("", config), 400},
		{"PUT", queues + "/none", body("new", config), 404},
		{"PUT", queues + "/" + other, body("new", config), 200},
		{"PUT", queues + "/" + id, body("two", config), 200},
	} {
		if a, _ := f.call(t, c.method, c.path, keyA, c.body); a.status != c.want {
			t.Errorf("%s %s: status %d, want %d: %s", c.path, c.body, a.status, c.want, a.body)
		}
	}
	if _, got := f.call(t, "GET", queues+"/"+id, keyA, ""); got["name"] != "two" {
		t.Errorf("changed queue: %v", got)
	}
}
