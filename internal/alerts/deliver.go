package alerts

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/outbound"
	"github.com/sondehq/sonde/internal/selfobs"
)

// The types of messages.
const (
	changeMessage = "alert.changed"
	testMessage   = "alert.test"
)

// Message is what targets are told: the body of a webhook.
type Message struct {
	Type      string    `json:"type"`
	ID        string    `json:"id"` // the same in every attempt, and in the header Idempotency-Key
	CreatedAt time.Time `json:"createdAt"`
	ProjectID string    `json:"projectId"`
	Alert     struct {
		ID        string `json:"id"`
		Name      string `json:"name"`
		Condition string `json:"condition"`
	} `json:"alert"`
	State         model.AlertState `json:"state"`
	PreviousState model.AlertState `json:"previousState"`
	Value         *string          `json:"value"` // a decimal
	Reason        string           `json:"reason,omitempty"`
	URL           string           `json:"url"`
}

func (t *Targets) message(a model.Alert, before model.AlertState, o Outcome, id string, at time.Time) Message {
	m := Message{
		Type: changeMessage, ID: id, CreatedAt: at, ProjectID: a.ProjectID, State: o.State, PreviousState: before, Reason: o.Reason,
		URL: t.baseURL + "/project/" + url.PathEscape(a.ProjectID) + "/alerts?alert=" + url.QueryEscape(a.ID),
	}
	m.Alert.ID, m.Alert.Name, m.Alert.Condition = a.ID, a.Settings.Name, describe(a.Settings)
	if o.Value != "" {
		m.Value = &o.Value
	}
	return m
}

// errGone ends a delivery for good.
var errGone = errors.New("the target was deleted")

// sendWithin bounds one attempt.
const sendWithin = 15 * time.Second

// deliver sends one message to its target. nil: the target took it.
func (t *Targets) deliver(ctx context.Context, d model.AlertDelivery) error {
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	target, err := t.store.AlertTarget(ctx, d.ProjectID, d.TargetID)
	if errors.Is(err, metastore.ErrNotFound) {
		return errGone
	}
	if err != nil {
		return err
	}
	var inside secrets
	plain, err := t.box.Open(target.Sealed, place(target))
	if err != nil {
		return fmt.Errorf("open the address of target %s: %w", target.ID, err)
	}
	var m Message
	if json.Unmarshal(plain, &inside) != nil || json.Unmarshal(d.Message, &m) != nil { // whose errors could show the address
		return errors.New("read what is kept of a message")
	}
	switch target.Kind {
	case model.EmailTarget:
		if t.mail == nil {
			return fault.Unavailablef("this server sends no email any more")
		}
		return t.mail.send(ctx, inside.Address, d.ID, m)
	case model.SlackTarget:
		body, err := json.Marshal(map[string]string{"text": slackText(m)})
		if err != nil {
			return err
		}
		return t.post(ctx, inside.Address, d.ID, body, "")
	default:
		return t.post(ctx, inside.Address, d.ID, d.Message, inside.Key)
	}
}

// post sends a body once. Redirects are not followed: they are answers like any other that is no success.
func (t *Targets) post(ctx context.Context, address, id string, body []byte, key string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return fault.New(fault.Invalid, "the address cannot be read")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "sonde/"+selfobs.Version)
	r.Header.Set("Idempotency-Key", id)
	if key != "" {
		r.Header.Set("Sonde-Signature", Sign(key, time.Now(), body))
	}
	answer, err := t.guard.Client().Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // so that the connection can be used again
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fault.Unavailablef("the target answered %d", answer.StatusCode)
	}
	return nil
}

// Sign returns the header that proves a body: when it was sent, and the HMAC-SHA256 of that time, a dot and the body.
func Sign(key string, at time.Time, body []byte) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	return "t=" + stamp + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

var stateWords = map[model.AlertState]string{model.AlertOK: "OK", model.AlertFiring: "Firing", model.AlertNoData: "No data", model.AlertError: "Error"}

// headline is what a message says first.
func headline(m Message) string {
	if m.Type == testMessage {
		return "Test: " + m.Alert.Name
	}
	return stateWords[m.State] + ": " + m.Alert.Name
}

// lines are the rest of it.
func lines(m Message) []string {
	list := []string{"Condition: " + m.Alert.Condition, "State: " + stateWords[m.State] + ", before " + stateWords[m.PreviousState]}
	if m.Value != nil {
		list = append(list, "Value: "+*m.Value)
	}
	if m.Reason != "" {
		list = append(list, "Reason: "+m.Reason)
	}
	return append(list, "At: "+m.CreatedAt.UTC().Format(time.RFC3339))
}

var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func slackText(m Message) string {
	text := "*" + slackEscapes.Replace(headline(m)) + "*\n" + slackEscapes.Replace(strings.Join(lines(m), "\n"))
	if m.URL != "" {
		text += "\n<" + slackEscapes.Replace(m.URL) + "|Open the alert>"
	}
	return text
}

// publicReason is what people may read of a failed attempt. Addresses are secrets, and errors of requests hold them.
func publicReason(err error) string {
	f, ok := errors.AsType[*fault.Fault](err)
	switch {
	case ok && f.Kind != fault.Internal:
		return f.Public()
	case errors.Is(err, outbound.ErrPrivate):
		return "the target has an address that is not public; the operator of this server may allow it with outbound-endpoints"
	case errors.Is(err, context.DeadlineExceeded):
		return "the target did not answer in time"
	case errors.Is(err, errGone):
		return errGone.Error()
	}
	return "the target cannot be reached"
}
