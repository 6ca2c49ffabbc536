package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/importer/scripted"
)

// ImportOptions bound the run.
type ImportOptions struct {
	Observations, Kills int
	Newer               bool // the source has the reads of version 4, otherwise those of older servers
}

// ImportResult says what an import brought while it was killed.
type ImportResult struct {
	Observations int     `json:"observations"`
	Kills        int     `json:"kills"`
	Found        int     `json:"found"`      // rows of the source that the target has
	Lost         int     `json:"lost"`       // rows that it does not have
	Doubled      int     `json:"doubled"`    // rows that it has more than once
	Foreign      int     `json:"foreign"`    // rows that the source does not have
	WrongCost    int     `json:"wrong_cost"` // rows with another cost, or another start time
	Seconds      float64 `json:"seconds"`    // of all runs until everything was sent, the comparison left out
	RowsPerSec   float64 `json:"rows_per_s"`
	CompareSec   float64 `json:"compare_seconds"` // reading all back and comparing field by field, by the import itself
	PeakMiB      float64 `json:"peak_mib"`        // memory of the import process, the largest of all runs
	Requests     int64   `json:"source_requests"`
	Limited      int64   `json:"source_429"`
	Failed       int64   `json:"source_500"`
	Broken       int64   `json:"source_broken"`
}

// Verdict names the promises that did not hold.
func (r ImportResult) Verdict() error {
	if r.Found != r.Observations || r.Lost+r.Doubled+r.Foreign+r.WrongCost > 0 {
		return fmt.Errorf("%d of %d rows found, %d lost, %d doubled, %d foreign, %d with another cost or time", r.Found, r.Observations, r.Lost, r.Doubled, r.Foreign, r.WrongCost)
	}
	if r.Limited == 0 || r.Failed == 0 || r.Broken == 0 {
		return errors.New("the source never failed, so the proof proves little: take more rows")
	}
	return nil
}

// maxImportMiB is what the import may use: it holds one page, one request and the largest row.
const maxImportMiB = 256

// Import copies a scripted project into a server, kills the import on the way, and holds every row against the script.
func Import(ctx context.Context, o ImportOptions, p *Progress) (result ImportResult, err error) {
	s, err := newServer()
	if err != nil {
		return result, err
	}
	defer func() { err = joinRemove(err, s) }()
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	source := &scripted.Server{
		Data:       scripted.Data{Observations: o.Observations, Newer: o.Newer, Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		LimitEvery: 41, FailEvery: 29, BreakEvery: 37,
	}
	address, stop, err := serveScript(ctx, source)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	result.Observations, result.Kills = o.Observations, o.Kills
	run := &importRun{server: s, source: source, address: address, state: filepath.Join(s.dir, "import.json"), result: &result}
	if err := run.untilDone(ctx, o, p); err != nil {
		return result, err
	}
	if err := run.compare(ctx, p); err != nil {
		return result, err
	}
	result.Requests, result.Limited, result.Failed, result.Broken = source.Requests.Load(), source.Limited.Load(), source.Failed.Load(), source.Broken.Load()
	if result.PeakMiB > maxImportMiB {
		return result, fmt.Errorf("the import took %.0f MiB", result.PeakMiB)
	}
	return result, s.holdAgainst(ctx, &source.Data, &result)
}

func serveScript(ctx context.Context, source *scripted.Server) (address string, stop func() error, err error) {
	var listening net.ListenConfig
	l, err := listening.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen for the import: %w", err)
	}
	script := &http.Server{Handler: source, ReadHeaderTimeout: time.Minute}
	go func() { _ = script.Serve(l) }() // ends when it is closed
	return "http://" + l.Addr().String(), script.Close, nil
}

// importRun starts the import again and again.
type importRun struct {
	server         *server
	source         *scripted.Server
	address, state string
	result         *ImportResult
}

func (r *importRun) command(ctx context.Context, verify string) (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program: %w", err)
	}
	cmd := exec.CommandContext(ctx, program, "import", "langfuse", "--from", r.address, "--from-public-key", scripted.PublicKey,
		"--from-secret-key", scripted.SecretKey, "--to", r.server.url, "--public-key", publicKey, "--secret-key", secretKey,
		"--state", r.state, "--verify", verify)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr // the bench's own output is one object
	return cmd, nil
}

// untilDone kills the import each time another part of the rows was served, and starts it again.
func (r *importRun) untilDone(ctx context.Context, o ImportOptions, p *Progress) error {
	begin := time.Now()
	for killed := 0; ; killed++ {
		cmd, err := r.command(ctx, "off")
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start the import: %w", err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		served := int64(o.Observations * (killed + 1) / (o.Kills + 1))
		for done := false; !done; {
			select {
			case err := <-ended:
				r.measure(cmd)
				if err != nil {
					return fmt.Errorf("the import failed: %w", err)
				}
				if killed < o.Kills {
					return fmt.Errorf("the import was done before it was killed %d times", o.Kills)
				}
				r.result.Seconds = round(time.Since(begin).Seconds(), 1)
				r.result.RowsPerSec = round(float64(o.Observations)/time.Since(begin).Seconds(), 0)
				return nil
			case <-time.After(2 * time.Millisecond):
				done = killed < o.Kills && r.source.Served.Load() >= served
			}
		}
		p.say("killing the import after %d rows were served", r.source.Served.Load())
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			return fmt.Errorf("kill the import: %w", err)
		}
		<-ended
		r.measure(cmd)
	}
}

// measure notes the memory of an import that has ended.
func (r *importRun) measure(cmd *exec.Cmd) {
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.result.PeakMiB = max(r.result.PeakMiB, round(float64(usage.Maxrss)/1024, 1))
	}
}

// compare has the import read everything back, which ends with 1 when anything differs.
func (r *importRun) compare(ctx context.Context, p *Progress) error {
	p.say("comparing all rows")
	begin := time.Now()
	cmd, err := r.command(ctx, "all")
	if err != nil {
		return err
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the comparison of the import failed: %w", err)
	}
	r.measure(cmd)
	r.result.CompareSec = round(time.Since(begin).Seconds(), 1)
	return nil
}

// holdAgainst reads the server without the import's help: every row of the script once, with its cost and time, and no other.
func (s *server) holdAgainst(ctx context.Context, d *scripted.Data, result *ImportResult) error {
	seen := make([]uint8, d.Observations)
	for cursor := ""; ; {
		var page struct {
			Data []struct {
				ID, TraceID, StartTime string
				CostDetails            map[string]decimal.Decimal
			}
			Meta struct{ Cursor string }
		}
		q := url.Values{"limit": {"1000"}, "fields": {"core,usage"}}
		if cursor != "" {
			q.Set("cursor", cursor)
		}
		if err := s.ask(ctx, "/api/public/v2/observations?"+q.Encode(), &page); err != nil {
			return err
		}
		for _, row := range page.Data {
			i := d.Number(row.ID)
			switch {
			case row.ID == "t-"+row.TraceID && !d.Newer: // what older servers keep of a trace
				continue
			case i < 0:
				result.Foreign++
				continue
			}
			if seen[i]++; seen[i] > 1 {
				result.Doubled++
				continue
			}
			result.Found++
			want, _ := d.Cost(i)
			if !row.CostDetails["total"].Equal(want) || row.StartTime != d.At(i).Format("2006-01-02T15:04:05.000Z") {
				result.WrongCost++
			}
		}
		if cursor = page.Meta.Cursor; cursor == "" {
			result.Lost = d.Observations - result.Found
			return nil
		}
	}
}
