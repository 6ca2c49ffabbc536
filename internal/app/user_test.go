package app

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/model"
)

// usersOf returns a data directory whose metadata database is open, as while a server runs, and
// commands that work on it.
func usersOf(t *testing.T) (*sqlstore.Store, *userCommand) {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlstore.OpenSQLite(t.Context(), filepath.Join(dir, "metadata.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store, &userCommand{DataDir: dir}
}

// try runs a command line and returns what it printed, or its error.
func try(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, &out, io.Discard)
	return out.String(), err
}

var printedPassword = regexp.MustCompile(`(?m)^  (\S{26})$`)

func TestCreateUser(t *testing.T) {
	t.Parallel()
	store, users := usersOf(t)
	in := "--data-dir=" + users.DataDir
	if _, err := try(t, "user", "create", "ada@example.com", in); err == nil || !strings.Contains(err.Error(), "--organization") {
		t.Errorf("without an organization: %v", err)
	}
	if err := store.CreateOrganization(t.Context(), model.Organization{ID: "org", Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	password := mustCreateAda(t, in)
	user, err := store.UserByEmail(t.Context(), "Ada@example.com")
	if err != nil || user.Name != "Ada" || !auth.PasswordMatches(user.Password, password) {
		t.Errorf("created %+v, %v", user, err)
	}
	if m, err := store.Member(t.Context(), "org", user.ID); err != nil || m.Role != model.Owner || !m.Active {
		t.Errorf("membership %+v, %v", m, err)
	}
	if _, err := try(t, "user", "create", "ADA@example.com", in); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("created twice: %v", err)
	}
	for _, args := range [][]string{
		{"user", "create", "nobody", in},
		{"user", "create", "x@example.com", "--organization=other", in},
		{"user", "create", "x@example.com", "--member-role=GOD", in},
		{"user", "reset-password", "nobody@example.com", in},
		{"user", "list", "--data-dir=" + t.TempDir()},
	} {
		if said, err := try(t, args...); err == nil || said != "" {
			t.Errorf("%q says %q and does not fail", args, said)
		}
	}
}

// mustCreateAda creates an owner by command and returns the password that was shown.
func mustCreateAda(t *testing.T, in string) (password string) {
	t.Helper()
	said, err := try(t, "user", "create", "ada@example.com", "--name=Ada", "--member-role=OWNER", in)
	shown := printedPassword.FindStringSubmatch(said)
	if err != nil || shown == nil || !strings.Contains(said, `Created ada@example.com, OWNER of "Acme".`) {
		t.Fatalf("create says %q, %v", said, err)
	}
	return shown[1]
}

func TestResetPassword(t *testing.T) {
	t.Parallel()
	store, users := usersOf(t)
	in := "--data-dir=" + users.DataDir
	if err := store.CreateOrganization(t.Context(), model.Organization{ID: "org", Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	old := mustCreateAda(t, in)
	said, err := try(t, "user", "reset-password", "ada@example.com", in)
	again := printedPassword.FindStringSubmatch(said)
	if err != nil || again == nil || again[1] == old {
		t.Fatalf("reset-password says %q, %v", said, err)
	}
	user, err := store.UserByEmail(t.Context(), "ada@example.com")
	if err != nil || auth.PasswordMatches(user.Password, old) || !auth.PasswordMatches(user.Password, again[1]) {
		t.Errorf("after the reset: %+v, %v", user, err)
	}
	said, err = try(t, "user", "list", in)
	if err != nil || !strings.Contains(said, "ada@example.com  Ada   set") || strings.Contains(said, "argon2") {
		t.Errorf("list says %q, %v", said, err)
	}
}

func TestUnlinkUser(t *testing.T) {
	t.Parallel()
	store, users := usersOf(t)
	in := "--data-dir=" + users.DataDir
	ada := model.User{ID: "ada", Email: "ada@example.com"}
	if err := store.CreateUser(t.Context(), ada); err != nil {
		t.Fatal(err)
	}
	said, err := try(t, "user", "unlink", "ada@example.com", in)
	if err != nil || !strings.Contains(said, "has not signed in through a provider") {
		t.Errorf("unlink says %q, %v", said, err)
	}
	if err := store.LinkIdentity(t.Context(), model.Identity{Issuer: "https://id.example.com", Subject: "1", UserID: ada.ID}); err != nil {
		t.Fatal(err)
	}
	said, err = try(t, "user", "unlink", "Ada@example.com", in)
	if err != nil || !strings.Contains(said, "at the next sign-in") {
		t.Errorf("unlink says %q, %v", said, err)
	}
	if _, err := store.UserByIdentity(t.Context(), "https://id.example.com", "1"); !errors.Is(err, metastore.ErrNotFound) {
		t.Errorf("still linked: %v", err)
	}
	if _, err := try(t, "user", "unlink", "nobody@example.com", in); err == nil {
		t.Error("nobody is unlinked")
	}
}

func TestPasswordFromStandardInput(t *testing.T) {
	t.Parallel()
	store, users := usersOf(t)
	if err := store.CreateOrganization(t.Context(), model.Organization{ID: "org", Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	create := userCreateCommand{Email: "ada@example.com", Role: model.Member, PasswordStdin: true}
	var out bytes.Buffer
	if err := create.Run(t.Context(), streams{in: strings.NewReader("short\n"), out: &out}, users); err == nil {
		t.Error("a short password is taken")
	}
	if err := create.Run(t.Context(), streams{in: strings.NewReader("from a pipe\r\nnot this"), out: &out}, users); err != nil {
		t.Fatal(err)
	}
	user, err := store.UserByEmail(t.Context(), "ada@example.com")
	if err != nil || !auth.PasswordMatches(user.Password, "from a pipe") || strings.Contains(out.String(), "pipe") {
		t.Errorf("%+v, %v, said %q", user, err, out.String())
	}
	reset := userResetCommand{Email: "ada@example.com", PasswordStdin: true}
	if err := reset.Run(t.Context(), streams{in: strings.NewReader("without an end"), out: &out}, users); err != nil {
		t.Fatal(err)
	}
	if user, err = store.User(t.Context(), user.ID); err != nil || !auth.PasswordMatches(user.Password, "without an end") {
		t.Errorf("%+v, %v", user, err)
	}
}

func TestFirstUser(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		init     config.Init
		password string // empty: random
		fails    bool
	}{
		"nobody":       {},
		"given":        {init: config.Init{UserEmail: "ada@example.com", UserName: "Ada", UserPassword: "correct horse"}, password: "correct horse"},
		"random":       {init: config.Init{UserEmail: "ada@example.com"}},
		"bad email":    {init: config.Init{UserEmail: "ada"}, fails: true},
		"bad password": {init: config.Init{UserEmail: "ada@example.com", UserPassword: "short"}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, _ := usersOf(t)
			var out bytes.Buffer
			c.init.Organization, c.init.Project, c.init.ProjectPublicKey, c.init.ProjectSecretKey = "Acme", "Demo", "pk", "sk"
			n := &node{config: &config.Config{Init: c.init}, meta: store, out: &out}
			for range 2 { // the second start changes nothing
				if err := n.plant(t.Context()); (err != nil) != c.fails {
					t.Fatalf("plant: %v", err)
				}
			}
			organizations, err := store.Organizations(t.Context())
			if err != nil || len(organizations) == 1 == c.fails {
				t.Fatalf("organizations %v, %v", organizations, err)
			}
			if c.fails || c.init.UserEmail == "" {
				return
			}
			user, err := store.UserByEmail(t.Context(), "ada@example.com")
			password := c.password
			if shown := printedPassword.FindStringSubmatch(out.String()); password == "" && shown != nil {
				password = shown[1]
			}
			if err != nil || !auth.PasswordMatches(user.Password, password) {
				t.Errorf("user %+v, %v, said %q", user, err, out.String())
			}
			if m, err := store.Member(t.Context(), organizations[0].ID, user.ID); err != nil || m.Role != model.Owner {
				t.Errorf("membership %+v, %v", m, err)
			}
			if c.password != "" && out.Len() > 0 {
				t.Errorf("a given password is shown: %q", out.String())
			}
		})
	}
}

// A rotated key is shown once, and its last secret works for as long as was said. It leaves events.
func TestRotateKeyAndAudit(t *testing.T) {
	t.Parallel()
	store, users := usersOf(t)
	in := "--data-dir=" + users.DataDir
	seed, secret, err := auth.SeedFrom("Acme", "prj", "Demo", "pk-lf-1", "sk-lf-0123456789abcdefgh")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	mustCreateAda(t, in)
	out, err := try(t, "key", "rotate", "pk-lf-1", "--grace=1h", in)
	fresh := regexp.MustCompile(`sk-lf-\S+`).FindString(out)
	if err != nil || fresh == "" || fresh == secret {
		t.Fatalf("key rotate = %q, %v", out, err)
	}
	keys := auth.New(store)
	for _, s := range []string{secret, fresh} {
		if _, err := keys.Authenticate(t.Context(), "Basic "+base64.StdEncoding.EncodeToString([]byte("pk-lf-1:"+s))); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	if out, err := try(t, "key", "list", in); err != nil || !strings.Contains(out, "pk-lf-1") || strings.Contains(out, fresh) {
		t.Errorf("key list = %q, %v", out, err)
	}
	if _, err := try(t, "key", "rotate", "pk-lf-none", in); err == nil || !strings.Contains(err.Error(), "sonde key list") {
		t.Errorf("an unknown key: %v", err)
	}
	tellsOfRotation(t, in, fresh, seed.Organization.ID)
}

// tellsOfRotation looks for the events of the commands, which name no secret.
func tellsOfRotation(t *testing.T, in, fresh, organization string) {
	t.Helper()
	out, err := try(t, "audit", "list", in)
	if err != nil || !strings.Contains(out, "key.rotate") || !strings.Contains(out, "user.create") || !strings.Contains(out, "ada@example.com") || strings.Contains(out, fresh) {
		t.Errorf("audit list = %q, %v", out, err)
	}
	if out, err := try(t, "audit", "list", "--action=key.", "--format=json", in); err != nil || strings.Count(out, "\n") != 1 || !strings.Contains(out, `"organizationId":"`+organization) {
		t.Errorf("audit list --format=json = %q, %v", out, err)
	}
}
