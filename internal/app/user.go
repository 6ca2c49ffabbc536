package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sondehq/sonde/internal/audit"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tenancy"
)

// userCommand manages people in the metadata database itself, whether a server runs or not.
type userCommand struct {
	DataDir  string          `default:"sonde-data" env:"SONDE_DATA_DIR" placeholder:"DIR" help:"Data directory of the server; ${default} unless given."`
	Metadata config.Metadata `embed:"" prefix:"metadata-" envprefix:"SONDE_METADATA_"`

	Create        userCreateCommand `cmd:"" help:"Add a person who can sign in, and print a password for them."`
	ResetPassword userResetCommand  `cmd:"" name:"reset-password" help:"Give somebody who forgot theirs a new password. No mail is sent: you hand it over."`
	Unlink        userUnlinkCommand `cmd:"" help:"Forget who somebody is at the sign-in provider, so that the next person with their verified address gets the account."`
	List          userListCommand   `cmd:"" help:"Show who has an account."`
}

// userStore is the metadata database with what the commands need of it.
type userStore struct {
	*sqlstore.Store
	service *tenancy.Service
}

// open opens the metadata database and closes it after work.
func (c *userCommand) open(ctx context.Context, work func(userStore) error) (err error) {
	n := &node{config: &config.Config{DataDir: c.DataDir, Metadata: c.Metadata}}
	if err := n.hasMetadata(); err != nil {
		return err
	}
	if err := n.connectMetadata(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.meta.Close()) }()
	return work(userStore{n.meta, tenancy.New(n.meta)})
}

// note remembers what a command did to a user, for the given organizations or for all that the user belongs to.
func (s userStore) note(ctx context.Context, std streams, action string, u model.User, detail string, organizations ...string) {
	log := slog.New(slog.NewTextHandler(std.err, nil))
	if len(organizations) == 0 {
		standings, err := s.Standings(ctx, u.ID)
		if err != nil {
			log.Error("the organizations of the user are not known", "error", err)
		}
		for _, st := range standings {
			if id := st.Project.Organization.ID; !slices.Contains(organizations, id) {
				organizations = append(organizations, id)
			}
		}
	}
	event := byOperator(action)
	event.ObjectID, event.ObjectName, event.Detail = u.ID, u.Email, detail
	audit.New(s, log).Record(ctx, event, organizations...)
}

type userCreateCommand struct {
	Email         string     `arg:"" help:"Email address, with which they sign in."`
	Name          string     `help:"Name that others see."`
	Organization  string     `placeholder:"ID" help:"Organization they belong to; may be left out while there is only one."`
	Role          model.Role `name:"member-role" default:"MEMBER" enum:"OWNER,ADMIN,MEMBER,VIEWER" help:"What they may do there: OWNER, ADMIN, MEMBER or VIEWER."`
	PasswordStdin bool       `help:"Read the password from standard input instead of making one up."`
}

// Run creates a user with a membership.
func (c *userCreateCommand) Run(ctx context.Context, std streams, users *userCommand) error {
	return users.open(ctx, func(store userStore) error {
		organization, err := c.organization(ctx, store)
		if err != nil {
			return err
		}
		password, shown, err := choosePassword(c.PasswordStdin, std.in)
		if err != nil {
			return err
		}
		user := model.User{Email: c.Email, Name: c.Name}
		if user.Password, err = auth.HashPassword(password); err != nil {
			return err
		}
		if user, err = store.service.CreateUser(ctx, user); err != nil {
			return err
		}
		if _, err = store.service.PutMember(ctx, organization.ID, user.ID, c.Role); err != nil {
			return err
		}
		store.note(ctx, std, "user.create", user, string(c.Role), organization.ID)
		_, err = fmt.Fprintf(std.out, "Created %s, %s of %q.\n%s", user.Email, c.Role, organization.Name, shown)
		return err
	})
}

// organization is the one that was asked for, or the only one that there is.
func (c *userCreateCommand) organization(ctx context.Context, store userStore) (model.Organization, error) {
	if c.Organization != "" {
		found, err := store.service.Organization(ctx, c.Organization)
		if fault.Is(err, fault.NotFound) {
			return found.Organization, fmt.Errorf("there is no organization with the id %q", c.Organization)
		}
		return found.Organization, err
	}
	all, err := store.Organizations(ctx)
	if err != nil {
		return model.Organization{}, err
	}
	if len(all) == 1 {
		return all[0], nil
	}
	names := make([]string, len(all))
	for i, o := range all {
		names[i] = fmt.Sprintf("%s (%s)", o.ID, o.Name)
	}
	return model.Organization{}, fmt.Errorf("choose one of the organizations with --organization: %s", strings.Join(names, ", "))
}

// choosePassword returns a password that was given, or a random one and the words that show it.
func choosePassword(given bool, in io.Reader) (password, shown string, err error) {
	if !given {
		password = auth.NewPassword()
		return password, fmt.Sprintf("\nPassword, shown only now:\n\n  %s\n\n", password), nil
	}
	line, err := bufio.NewReader(io.LimitReader(in, 4<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), "", nil
}

type userResetCommand struct {
	Email         string `arg:"" help:"Email address of the account."`
	PasswordStdin bool   `help:"Read the new password from standard input instead of making one up."`
}

// Run replaces a password.
func (c *userResetCommand) Run(ctx context.Context, std streams, users *userCommand) error {
	return users.open(ctx, func(store userStore) error {
		user, err := store.service.UserByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		password, shown, err := choosePassword(c.PasswordStdin, std.in)
		if err != nil {
			return err
		}
		hash, err := auth.HashPassword(password)
		if err != nil {
			return err
		}
		if err := store.SetPassword(ctx, user.ID, hash); err != nil {
			return err
		}
		store.note(ctx, std, "user.password", user, "")
		_, err = fmt.Fprintf(std.out, "%s has a new password; the old one no longer works, and all their sessions have ended.\n%s", user.Email, shown)
		return err
	})
}

type userUnlinkCommand struct {
	Email string `arg:"" help:"Email address of the account."`
}

// Run forgets the identities of a user.
func (c *userUnlinkCommand) Run(ctx context.Context, std streams, users *userCommand) error {
	return users.open(ctx, func(store userStore) error {
		user, err := store.service.UserByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		forgotten, err := store.UnlinkIdentities(ctx, user.ID)
		if err != nil {
			return err
		}
		store.note(ctx, std, "user.unlink", user, "")
		if forgotten == 0 {
			_, err = fmt.Fprintf(std.out, "%s has not signed in through a provider.\n", user.Email)
			return err
		}
		_, err = fmt.Fprintf(std.out, "%s is joined to a person of the provider again at the next sign-in with this address.\n", user.Email)
		return err
	})
}

type userListCommand struct{}

// usersAtOnce is how many users are read from the database at a time.
const usersAtOnce = 500

// Run prints all users, one in a line.
func (*userListCommand) Run(ctx context.Context, std streams, users *userCommand) error {
	return users.open(ctx, func(store userStore) error {
		table := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "EMAIL\tNAME\tPASSWORD\tCREATED\tID")
		for offset := 0; ; offset += usersAtOnce {
			page, err := store.Users(ctx, offset, usersAtOnce)
			if err != nil {
				return err
			}
			for _, u := range page {
				password := "set"
				if u.Password == "" {
					password = "none"
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", u.Email, u.Name, password, u.CreatedAt.Format("2006-01-02"), u.ID)
			}
			if len(page) < usersAtOnce {
				return table.Flush()
			}
		}
	})
}

// firstUser is the member whom a first start creates, nil when there is to be none, and the words that
// show a random password.
func (n *node) firstUser() (*model.Membership, string, error) {
	in := n.config.Init
	if in.UserEmail == "" {
		return nil, "", nil
	}
	if err := metastore.CheckEmail(in.UserEmail); err != nil {
		return nil, "", fmt.Errorf("init-user-email: %w", err)
	}
	password, shown := in.UserPassword.Reveal(), ""
	if password == "" {
		password = auth.NewPassword()
		shown = fmt.Sprintf("Created user %s. The password is shown only now:\n\n  %s\n\n", in.UserEmail, password)
	}
	hash, err := auth.HashPassword(password)
	if err != nil {
		return nil, "", fmt.Errorf("init-user-password: %w", err)
	}
	user := model.User{Email: in.UserEmail, Name: in.UserName, Password: hash}
	return &model.Membership{User: user, Role: model.Owner, Active: true}, shown, nil
}

// plantUser makes the first user the owner of the first organization.
func (n *node) plantUser(ctx context.Context, organizationID string, first *model.Membership, shown string) error {
	if first == nil {
		return nil
	}
	if _, err := tenancy.New(n.meta).AddUser(ctx, organizationID, *first); err != nil {
		return err
	}
	_, err := fmt.Fprint(n.out, shown)
	return err
}
