package otlpgrpc_test

import (
	"context"
	"testing"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/live"
	"github.com/sondehq/sonde/internal/live/livetest"
	"github.com/sondehq/sonde/internal/otlpgrpc"
)

func TestCallsAreReported(t *testing.T) {
	t.Parallel()
	reporter := live.NewReporter(livetest.NewNetwork().Node())
	f := newFixture(t, func(c *otlpgrpc.Config) {
		c.Live = reporter
		c.Claims = func(_ context.Context, header string) auth.Claim {
			switch header {
			case "Basic good", "Basic reads", "Basic wrong":
				return auth.Claim{PublicKey: "pk-a", Known: true, Valid: true, ProjectID: "project-a"}
			case "Basic nobody":
				return auth.Claim{PublicKey: "pk-lf-nobody-has-this"}
			}
			return auth.Claim{}
		}
	})
	f.outcome = ingest.Outcome{Accepted: 2}
	for _, key := range []string{"Basic good", "Basic wrong", "Basic reads", "Basic nobody", ""} {
		_, _, _ = f.call(t, traceMethod, key, []byte("spans")) // how each is answered is reported
	}
	f.outcome = ingest.Outcome{Accepted: 1, Rejected: 1, Reason: "no id"}
	if _, _, err := f.call(t, traceMethod, "Basic good", []byte("spans")); err != nil {
		t.Fatal(err)
	}
	recent, _ := reporter.Recent(t.Context(), "project-a")
	got := map[live.Code]live.Request{}
	for _, r := range recent.Requests() {
		got[r.Code] = r
	}
	if len(got) != 4 || len(recent.Unknown) != 1 || recent.Unknown[0].Prefix != "pk-lf-nobody" {
		t.Fatalf("%+v, unknown %+v", got, recent.Unknown)
	}
	for code, want := range map[live.Code]live.Request{
		"":                 {Status: 200, Proved: true, Accepted: 2},
		live.WrongSecret:   {Status: 401},
		live.Forbidden:     {Status: 403, Proved: true},
		live.SpansRejected: {Status: 200, Proved: true, Accepted: 1, Rejected: 1, Reason: "no id"},
	} {
		r := got[code]
		if shown := (live.Request{Status: r.Status, Proved: r.Proved, Accepted: r.Accepted, Rejected: r.Rejected, Reason: want.Reason}); shown != want {
			t.Errorf("%q: %+v, want %+v", code, shown, want)
		}
		if code != "" && r.Reason == "" || want.Reason != "" && r.Reason != want.Reason {
			t.Errorf("%q: reason %q, want %q", code, r.Reason, want.Reason)
		}
	}
	if taken := got[""]; taken.Bytes != 5 || taken.SDKName != "python" || taken.Path != traceMethod {
		t.Errorf("%+v", taken)
	}
}
