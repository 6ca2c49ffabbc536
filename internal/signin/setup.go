package signin

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// SetUpWithin is how long after the first start anybody who reaches the server may become its first user. Later there
// is likely something to see, and the first user is made on the server's own machine.
const SetUpWithin = 24 * time.Hour

// First is the first person of an installation, with the names of what they own. Empty names leave those that
// there are, or ours.
type First struct {
	Email, Name, Password string
	Organization, Project string
}

// Founded is what a first person starts with. The secret of the key is nowhere else.
type Founded struct {
	Started
	Project model.Project
	Key     model.Key
	Secret  string
}

// SetupNeeded reports whether nobody has an account yet.
func (s *Service) SetupNeeded(ctx context.Context) (bool, error) {
	users, err := s.store.Users(ctx, 0, 1)
	return len(users) == 0 && err == nil, err
}

// SetUp makes the first person the owner of the first organization and begins their session. Of several at once exactly
// one succeeds. fault.Conflict once there is an account, fault.Forbidden later than SetUpWithin, fault.Invalid.
func (s *Service) SetUp(ctx context.Context, first First) (Founded, error) {
	needed, err := s.SetupNeeded(ctx)
	if err != nil {
		return Founded{}, err
	}
	if !needed {
		return Founded{}, alreadySetUp()
	}
	organizations, err := s.store.Organizations(ctx)
	if err != nil {
		return Founded{}, err
	}
	if len(organizations) > 0 && time.Since(organizations[0].CreatedAt) > SetUpWithin {
		return Founded{}, fault.New(fault.Forbidden, "This server was started for the first time more than a day ago and is not set up from a browser any more").
			Hint("run on its machine: sonde user create EMAIL --member-role OWNER")
	}
	setup, secret, err := s.setupOf(first, len(organizations) == 0)
	if err != nil {
		return Founded{}, err
	}
	project, err := s.store.SetUp(ctx, setup)
	if errors.Is(err, metastore.ErrExists) {
		return Founded{}, alreadySetUp()
	}
	if err != nil {
		return Founded{}, err
	}
	started, err := s.Start(ctx, setup.User.ID)
	return Founded{Started: started, Project: project, Key: setup.Key, Secret: secret}, err
}

func alreadySetUp() error {
	return fault.New(fault.Conflict, "This server is set up already").Hint("sign in, or ask one of its owners to invite you")
}

func (s *Service) setupOf(first First, fresh bool) (metastore.Setup, string, error) {
	if err := errors.Join(checkName("organizationName", first.Organization), checkName("projectName", first.Project)); err != nil {
		return metastore.Setup{}, "", err
	}
	user, err := s.newUser(first.Email, first.Name, first.Password)
	if err != nil {
		return metastore.Setup{}, "", err
	}
	key, secret, err := s.secrets.NewKey()
	if err != nil {
		return metastore.Setup{}, "", err
	}
	if fresh {
		first.Organization, first.Project = cmp.Or(first.Organization, "My organization"), cmp.Or(first.Project, "My project")
	}
	return metastore.Setup{
		User: user, Key: key,
		Organization: model.Organization{ID: uuid.NewString(), Name: first.Organization},
		Project:      model.Project{ID: uuid.NewString(), Name: first.Project},
	}, secret, nil
}

// The bounds of names of projects and organizations, in characters.
const (
	minName = 3
	maxName = 60
)

// checkName lets a name be left out.
func checkName(field, name string) error {
	if n := utf8.RuneCountInString(name); name != "" && (n < minName || n > maxName || strings.TrimSpace(name) == "") {
		return fault.Invalidf(field, "must have %d to %d characters", minName, maxName)
	}
	return nil
}
