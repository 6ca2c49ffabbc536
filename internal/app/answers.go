package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/backup"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// askers are keys that exist only in memory, for a handler that no listener serves: what an operator compares is what a
// project's own key would read.
type askers map[string]auth.Principal

// Authenticate implements api.Authenticator.
func (a askers) Authenticate(_ context.Context, header string) (auth.Principal, error) {
	caller, ok := a[header]
	if !ok {
		return auth.Principal{}, fault.New(fault.Unauthenticated, "nobody asks so")
	}
	return caller, nil
}

// answers asks the server itself every read of every project and organization.
func (n *node) answers(ctx context.Context, each func(backup.Answer) error) error {
	if n.store == nil {
		return errors.New("this node has no trace store: ask one with the role write or read")
	}
	who, keys, err := n.askers(ctx)
	if err != nil {
		return err
	}
	config := n.apiConfig()
	config.Auth, config.BasePath, config.PublicURL = keys, "", ""
	config.NoReads, config.NoDeprecated = false, false
	config.Rates, config.Observe, config.Claims, config.Pages = nil, nil, nil, nil
	handler := api.New(config)
	for _, asker := range who {
		if err := api.EachAnswer(ctx, handler, asker, each); err != nil {
			return fmt.Errorf("ask for %s: %w", asker.Owner, err)
		}
	}
	return nil
}

func (n *node) askers(ctx context.Context) (who []api.Asker, keys askers, err error) {
	keys = askers{}
	add := func(owner string, caller auth.Principal) {
		asker := api.Asker{Owner: owner, Access: caller.Access, Authorization: fmt.Sprintf("%d %s", caller.Access, owner)}
		who, keys[asker.Authorization] = append(who, asker), caller
	}
	organizations, err := n.meta.Organizations(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range organizations {
		add(o.ID, auth.Principal{Access: auth.Organization, Scope: model.ScopeAll, Project: model.Project{Organization: o}})
	}
	projects, err := n.meta.Projects(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range projects {
		if !p.ErasingAt.IsZero() {
			continue
		}
		add(p.ID, auth.Principal{Access: auth.Project, Scope: model.ScopeAll, Project: p})
	}
	return who, keys, nil
}

// settledAnswers waits until everything in the log is stored: a restored server stores what was on its way.
func (n *node) settledAnswers(ctx context.Context, each func(backup.Answer) error) error {
	for n.log != nil {
		status, err := n.log.Status(ctx)
		if err != nil {
			return fmt.Errorf("look into the log: %w", err)
		}
		if status.Pending == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(settlePoll):
		}
	}
	return n.answers(ctx, each)
}

const settlePoll = 200 * time.Millisecond
