package e2e_test

import (
	"crypto/x509"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/testkit"
)

// diagnosis is what the doctor prints for programs.
type diagnosis struct {
	OK       bool
	Findings []struct {
		Check, About, Problem, Why, Do string
		OK                             bool
	}
}

// quietAddresses are settings under which nothing of the test's machine gets in the way.
func quietAddresses(t *testing.T) []string {
	t.Helper()
	return []string{"--data-dir=" + filepath.Join(t.TempDir(), "data"), "--listen=" + freeAddress(t), "--grpc-listen=", "--metrics-listen="}
}

// examine runs the doctor; later flags win.
func examine(t *testing.T, env []string, flags ...string) diagnosis {
	t.Helper()
	got := run(t, environment(t, env...), append([]string{"doctor", "--json"}, flags...)...)
	var d diagnosis
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil || len(d.Findings) == 0 || d.OK != (got.code == 0) {
		t.Fatalf("code %d, %v:\n%s%s", got.code, err, got.stdout, got.stderr)
	}
	return d
}

// finds checks that exactly one thing is wrong, and that it is explained.
func (d diagnosis) finds(t *testing.T, check, problem string) {
	t.Helper()
	found := 0
	for _, f := range d.Findings {
		switch {
		case f.OK:
		case f.Check != check:
			t.Errorf("%s is found, too: %s: %s", f.Check, f.About, f.Problem)
		case !strings.Contains(f.Problem, problem) || f.Why == "" || f.Do == "":
			t.Errorf("%s: problem %q (want %q), why %q, do %q", check, f.Problem, problem, f.Why, f.Do)
		default:
			found++
		}
	}
	if found == 0 || d.OK {
		t.Errorf("%s is not found: %+v", check, d)
	}
}

// certificateFor makes a certificate for a name and a time.
func certificateFor(t *testing.T, name string, until time.Time) (cert, key string) {
	t.Helper()
	cert, key, _ = signed(t, &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until, DNSNames: []string{name}})
	return cert, key
}

// Faults of settings, of the machine and of files, each made for real.
func TestDoctorFindsFaultsOfTheMachine(t *testing.T) {
	t.Parallel()
	findAll(t, map[string]madeFault{
		"a setting":      {"configuration", "base-path must", nil, func(*testing.T) []string { return []string{"--base-path=x"} }},
		"encryption key": {"encryption-key", "", nil, func(*testing.T) []string { return []string{"--encryption-key=short"} }},
		"time zone":      {"time-zone", "Nowhere", []string{"TZ=Nowhere/Land"}, func(*testing.T) []string { return nil }},
		"no library":     {"engine", "does not exist", nil, func(*testing.T) []string { return []string{"--engine-library=/no/such/library"} }},
		"little memory":  {"memory", "of memory", nil, func(*testing.T) []string { return []string{"--engine-memory=1000TiB", "--reads-memory=1GiB"} }},
		"the reserve":    {"disk", "are free", nil, func(*testing.T) []string { return []string{"--ingest-disk-reserve=1024TiB"} }},
		"no directory":   {"data-dir", "not a directory", nil, func(*testing.T) []string { return []string{"--data-dir=/dev/null/x"} }},
		"many clients":   {"open-files", "may open", nil, func(*testing.T) []string { return []string{"--max-connections=999999999"} }},
		"SMTP": {"smtp", "does not answer", nil, func(t *testing.T) []string {
			t.Helper()
			return []string{"--smtp-from=a@b", "--smtp-address=" + freeAddress(t)}
		}},
		"trace receiver": {"self-trace", "does not answer", nil, func(t *testing.T) []string {
			t.Helper()
			return []string{"--self-trace-endpoint=http://" + freeAddress(t)}
		}},
		"sign-in": {"oidc", "refused", nil, func(t *testing.T) []string {
			t.Helper()
			return []string{"--oidc-client-id=x", "--oidc-issuer=http://" + freeAddress(t)}
		}},
		"no library file": {"engine", "no shared library", nil, func(t *testing.T) []string {
			t.Helper()
			return []string{"--engine-library=" + written(t, "libchdb.so", "text")}
		}},
		"another architecture": {"engine", "another architecture", nil, func(t *testing.T) []string {
			t.Helper()
			return []string{"--engine-library=" + otherArchitecture(t)}
		}},
		"another checksum": {"engine", "checksum", nil, func(t *testing.T) []string {
			t.Helper()
			library := filepath.Join(t.TempDir(), "libchdb.so")
			copyFile(t, "/proc/self/exe", library) // an ELF file for this machine
			if err := os.WriteFile(strings.TrimSuffix(library, ".so")+".stamp", []byte(strings.Repeat("0", 64)+" 1 1\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			return []string{"--engine-library=" + library}
		}},
		"a taken port": {"address", "in use", nil, func(t *testing.T) []string {
			t.Helper()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			return []string{"--listen=" + l.Addr().String()}
		}},
		"memory for a disk": {"file-system", "tmpfs", nil, func(t *testing.T) []string {
			t.Helper()
			dir := filepath.Join(t.TempDir(), "disk")
			smallDisk(t, dir, 2<<30)
			return []string{"--data-dir=" + dir}
		}},
		"another server": {"lock", "a server works in it", nil, func(t *testing.T) []string {
			t.Helper()
			dir := t.TempDir()
			file, err := os.Create(filepath.Join(dir, "lock"))
			if err == nil {
				err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = file.Close() })
			return []string{"--data-dir=" + dir}
		}},
	})
}

// A certificate is looked at before clients do.
func TestDoctorFindsFaultsOfCertificates(t *testing.T) {
	t.Parallel()
	nextYear := time.Now().AddDate(1, 0, 0)
	findAll(t, map[string]madeFault{
		"an expired certificate": {"certificate", "expired", nil, func(t *testing.T) []string {
			t.Helper()
			cert, key := certificateFor(t, "a.example.com", time.Now().Add(-time.Hour))
			return []string{"--tls-cert=" + cert, "--tls-key=" + key}
		}},
		"a certificate that ends soon": {"certificate", "expires", nil, func(t *testing.T) []string {
			t.Helper()
			cert, key := certificateFor(t, "a.example.com", time.Now().AddDate(0, 0, 3))
			return []string{"--tls-cert=" + cert, "--tls-key=" + key}
		}},
		"another key": {"certificate", "private key does not match", nil, func(t *testing.T) []string {
			t.Helper()
			cert, _ := certificateFor(t, "a.example.com", nextYear)
			_, key := certificateFor(t, "a.example.com", nextYear)
			return []string{"--tls-cert=" + cert, "--tls-key=" + key}
		}},
		"another name": {"certificate-name", "b.example.com", nil, func(t *testing.T) []string {
			t.Helper()
			cert, key := certificateFor(t, "a.example.com", nextYear)
			return []string{"--tls-cert=" + cert, "--tls-key=" + key, "--public-url=https://b.example.com"}
		}},
	})
}

// madeFault is a fault, made by flags, variables and what lies where they point to, and the finding that tells of it.
type madeFault struct {
	check, problem string
	env            []string
	make           func(t *testing.T) []string
}

// findAll has the doctor look at each fault alone.
func findAll(t *testing.T, faults map[string]madeFault) {
	t.Helper()
	for name, c := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			examine(t, c.env, append(quietAddresses(t), c.make(t)...)...).finds(t, c.check, c.problem)
		})
	}
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// otherArchitecture is the head of a library for a machine that this is not: that of s390x.
func otherArchitecture(t *testing.T) string {
	t.Helper()
	head := make([]byte, 64)
	copy(head, "\x7fELF\x02\x02\x01")                      // 64 bits, big-endian
	head[17], head[19], head[23] = 3, 22, 1                // a shared object for s390
	head[53], head[55], head[57], head[59] = 64, 56, 0, 64 // sizes of its parts
	return written(t, "libchdb.so", string(head))
}

// A disk that has room but no inodes.
func TestDoctorFindsInodes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "disk")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2g,nr_inodes=500"); err != nil {
		t.Fatalf("this test mounts a disk and must run as root, where mounting is allowed: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	d := examine(t, nil, append(quietAddresses(t), "--data-dir="+dir)...)
	for _, f := range d.Findings {
		if f.Check == "inodes" && !f.OK && strings.Contains(f.Problem, "inodes are free") {
			return
		}
	}
	t.Errorf("%+v", d)
}

// Faults of servers elsewhere.
func TestDoctorFindsFaultsOfOtherServers(t *testing.T) {
	t.Parallel()
	clickhouse, postgres, nats, bucket := testkit.Engine(t), testkit.Postgres(t), startNATS(t), testkit.S3(t)
	late := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
	}))
	t.Cleanup(late.Close)
	blobs := func(endpoint, secret string) []string {
		return []string{
			"--blob-s3-bucket=" + bucket.Bucket, "--blob-s3-endpoint=" + endpoint, "--blob-s3-region=" + bucket.Region, "--blob-s3-path-style",
			"--blob-s3-access-key=" + bucket.AccessKey, "--blob-s3-secret-key=" + secret,
		}
	}
	nobody := freeAddress(t)
	for name, c := range map[string]struct {
		check, problem string
		flags          []string
	}{
		"all is well": {"", "", append([]string{
			"--engine-address=" + clickhouse, "--metadata-url=" + postgres, "--eventlog-address=" + nats, "--encryption-key=" + strings.Repeat("5a", 32),
		}, blobs(bucket.Endpoint, bucket.SecretKey)...)},
		"no ClickHouse":          {"clickhouse", "does not answer", []string{"--engine-address=clickhouse://u:p@" + nobody + "/x"}},
		"no such cluster":        {"clickhouse-cluster", "knows no cluster", []string{"--engine-address=" + clickhouse, "--engine-cluster=nowhere"}},
		"no PostgreSQL":          {"postgres", "", []string{"--metadata-url=postgres://" + nobody + "/x"}},
		"a read-only PostgreSQL": {"postgres-read-only", "read-only", []string{"--metadata-url=" + withOption(postgres, "default_transaction_read_only=on")}},
		"no NATS":                {"nats", "no server answers", []string{"--eventlog-address=nats://" + nobody}},
		"too few servers":        {"nats-servers", "3 copies are asked for, 1 servers", []string{"--eventlog-address=" + nats, "--eventlog-replicas=3"}},
		"no S3":                  {"s3", "", blobs("http://"+nobody, bucket.SecretKey)},
		"a wrong secret":         {"s3", "", blobs(bucket.Endpoint, "wrong")},
		"a clock that is off":    {"clock", "1h0m0s behind", []string{"--oidc-client-id=x", "--oidc-issuer=" + late.URL}},
	} {
		t.Run(name, func(t *testing.T) {
			d := examine(t, nil, append(quietAddresses(t), c.flags...)...)
			if c.check == "" {
				if !d.OK {
					t.Errorf("%+v", d)
				}
				return
			}
			d.finds(t, c.check, c.problem)
		})
	}
}

// Alone: other tests share the server whose connections it takes.
func TestDoctorFindsFewConnections(t *testing.T) {
	postgres := testkit.Postgres(t)
	holdConnections(t, postgres)
	examine(t, nil, append(quietAddresses(t), "--metadata-url="+postgres)...).finds(t, "postgres-connections", "connections are free")
}

func withOption(address, option string) string {
	if strings.Contains(address, "?") {
		return address + "&" + option
	}
	return address + "?" + option
}

// holdConnections leaves five.
func holdConnections(t *testing.T, address string) {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var free int
	if err := db.QueryRowContext(t.Context(), `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
		- (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')`).Scan(&free); err != nil {
		t.Fatal(err)
	}
	for range free - 5 {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
}

// The doctor asks a server that runs in the data directory.
func TestDoctorFindsFaultsOfARunningServer(t *testing.T) {
	t.Parallel()
	nats := startNATS(t)
	s := startServer(t, "--eventlog-address="+nats)
	flags := []string{"--data-dir=" + s.dir, "--listen=" + s.listen, "--grpc-listen=" + s.grpc, "--metrics-listen=" + s.metrics, "--eventlog-address=" + nats}
	if d := examine(t, s.env, flags...); !d.OK {
		t.Errorf("a healthy server: %+v", d)
	}
	examine(t, []string{"SONDE_INIT_PROJECT_PUBLIC_KEY=" + publicKey, "SONDE_INIT_PROJECT_SECRET_KEY=sk-lf-wrong"}, flags...).finds(t, "key", "answered with 401")
	examine(t, nil, append(flags, "--public-url=http://"+freeAddress(t))...).finds(t, "public-url", "refused")
	bury(t, nats)
	s.awaitLetters(2)
	examine(t, nil, flags...).finds(t, "dead-letters", "there are 2")

	engine := s.engine()
	s.signal(engine, syscall.SIGSTOP)
	t.Cleanup(func() { s.signal(engine, syscall.SIGCONT) })
	s.client().send(inProtobuf(t, newSpans(1)...))
	wanted := map[string]bool{"ready": true, "lag": true, "dead-letters": true}
	eventually(t, time.Minute, "the doctor sees that nothing is stored", func() error {
		found := map[string]bool{}
		for _, f := range examine(t, nil, flags...).Findings {
			if !f.OK {
				found[f.Check] = true
			}
		}
		if fmt.Sprint(found) != fmt.Sprint(wanted) {
			return fmt.Errorf("it finds %v", found)
		}
		return nil
	})
	s.signal(engine, syscall.SIGCONT)
}
