package alerts

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/outbound"
	"github.com/sondehq/sonde/internal/seal"
)

// Targets keeps where alerts are told, with addresses and secrets sealed, and tells them.
type Targets struct {
	store   Store
	box     *seal.Box
	guard   *outbound.Guard
	mail    *Mailer // nil: this server sends no email
	baseURL string  // how people reach the pages
}

// NewTargets makes targets. Requests go through the guard.
func NewTargets(store Store, box *seal.Box, guard *outbound.Guard, mail *Mailer, baseURL string) *Targets {
	return &Targets{store, box, guard, mail, baseURL}
}

// secrets is what of a target is sealed.
type secrets struct {
	Address string `json:"address"`
	Key     string `json:"key,omitempty"` // what webhooks are signed with
}

func place(t model.AlertTarget) []byte {
	return seal.Place("alert_targets", t.ProjectID, t.ID, "address")
}

const maxAddress = 2 << 10

// Create adds a target and returns it with the key that its messages are signed with, empty unless it is a webhook:
// the only time that it is shown. fault.Invalid.
func (t *Targets) Create(ctx context.Context, projectID, name string, kind model.TargetKind, address string) (model.AlertTarget, string, error) {
	made := model.AlertTarget{ProjectID: projectID, ID: uuid.NewString(), Name: strings.TrimSpace(name), Kind: kind, CreatedAt: now()}
	if n := utf8.RuneCountInString(made.Name); n < 1 || n > maxName {
		return model.AlertTarget{}, "", fault.Invalidf("name", "must have 1 to %d characters without the spaces around it, got %d", maxName, n)
	}
	display, err := t.checkAddress(kind, address)
	if err != nil {
		return model.AlertTarget{}, "", err
	}
	inside := secrets{Address: address}
	if kind == model.WebhookTarget {
		inside.Key = newKey()
	}
	plain, err := json.Marshal(inside)
	if err != nil {
		return model.AlertTarget{}, "", fmt.Errorf("encode the address of a target: %w", err)
	}
	made.Display = display
	if made.Sealed, err = t.box.Seal(plain, place(made)); err != nil {
		return model.AlertTarget{}, "", fmt.Errorf("seal the address of a target: %w", err)
	}
	return made, inside.Key, t.store.CreateAlertTarget(ctx, made)
}

// newKey makes what a webhook is signed with.
func newKey() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return "whsec_" + base64.RawURLEncoding.EncodeToString(key)
}

// checkAddress refuses what is never reached, and returns what everybody in the project may see of an address: that
// of Slack is a secret, and those of others may have one in their path.
func (t *Targets) checkAddress(kind model.TargetKind, address string) (display string, err error) {
	if len(address) > maxAddress {
		return "", fault.Invalidf("address", "must not have more than %d bytes", maxAddress)
	}
	switch kind {
	case model.EmailTarget:
		if t.mail == nil {
			return "", fault.Invalidf("kind", "email is not sent by this server").Hint("its operator may set --smtp-address")
		}
		to, err := mail.ParseAddress(address)
		if err != nil || to.Name != "" || to.Address != address {
			return "", fault.Invalidf("address", "must be an email address such as ops@example.com")
		}
		return address, nil
	case model.WebhookTarget, model.SlackTarget:
		if err := t.guard.Check("address", address); err != nil {
			return "", err
		}
		u, err := url.Parse(address)
		if err != nil || u.User != nil {
			return "", fault.Invalidf("address", "must be an address without a name and password in it")
		}
		return u.Scheme + "://" + u.Host + "/…", nil
	}
	return "", fault.Invalidf("kind", "must be one of %s, %s, %s", model.WebhookTarget, model.SlackTarget, model.EmailTarget)
}

// List returns the targets of a project.
func (t *Targets) List(ctx context.Context, projectID string) ([]model.AlertTarget, error) {
	return t.store.AlertTargets(ctx, projectID)
}

// Delete removes a target. fault.NotFound, fault.Conflict while an alert names it.
func (t *Targets) Delete(ctx context.Context, projectID, id string) error {
	list, err := t.store.Alerts(ctx, projectID)
	if err != nil {
		return err
	}
	for _, a := range list {
		if slices.Contains(a.Settings.TargetIDs, id) {
			return fault.New(fault.Conflict, "The alert %q tells this target", a.Settings.Name).Hint("take the target out of it first")
		}
	}
	return foundTarget(t.store.DeleteAlertTarget(ctx, projectID, id))
}

// Try sends a test message and returns why it did not arrive, empty when it did. fault.NotFound.
func (t *Targets) Try(ctx context.Context, projectID, id string) (string, error) {
	if _, err := t.store.AlertTarget(ctx, projectID, id); err != nil {
		return "", foundTarget(err)
	}
	m := Message{Type: testMessage, ID: uuid.NewString(), CreatedAt: now(), ProjectID: projectID, State: model.AlertOK, PreviousState: model.AlertOK}
	m.Alert.Name, m.Alert.Condition = "Test of a target", "this is no alert"
	return t.try(ctx, projectID, id, m), nil
}

func (t *Targets) try(ctx context.Context, projectID, id string, m Message) string {
	text, err := json.Marshal(m)
	if err == nil {
		err = t.deliver(ctx, model.AlertDelivery{ProjectID: projectID, ID: m.ID, TargetID: id, Message: text})
	}
	if err != nil {
		return publicReason(err)
	}
	return ""
}

func foundTarget(err error) error {
	if errors.Is(err, metastore.ErrNotFound) {
		return fault.New(fault.NotFound, "No such target in this project").Hint("it may have been deleted")
	}
	return err
}
