package config

import (
	"fmt"
	"strconv"
	"strings"
)

// RateLimit is what each project may do in a second; see docs/operate/rate-limits.md.
type RateLimit struct {
	Requests float64  `default:"0" env:"REQUESTS" help:"Requests to the API that a project may send in a second, but for those that send data in; 0: no limit. Counted by each process for itself, as all rate limits."`
	Spans    float64  `default:"0" env:"SPANS" help:"Spans, events and log records that a project may send in a second; 0: no limit."`
	Bytes    Bytes    `default:"0" env:"BYTES" help:"Bytes of them, decompressed, that a project may send in a second; 0: no limit."`
	Project  []string `env:"PROJECT" placeholder:"ID=REQUESTS/SPANS/BYTES,…" help:"Other limits for single projects, such as prj-1=10/500/1MiB; 0 is no limit."`
}

// ProjectRate is what one project may do in a second instead.
type ProjectRate struct {
	Requests, Spans float64
	Bytes           Bytes
}

// Projects reads the limits of single projects, by id.
func (r *RateLimit) Projects() (map[string]ProjectRate, error) {
	rates := map[string]ProjectRate{}
	for _, text := range r.Project {
		id, limits, ok := strings.Cut(text, "=")
		parts := strings.Split(limits, "/")
		if !ok || id == "" || len(parts) != 3 {
			return nil, fmt.Errorf("rate-limit-project must look like ID=REQUESTS/SPANS/BYTES, such as prj-1=10/500/1MiB, got %q", text)
		}
		var rate ProjectRate
		var errs [3]error
		rate.Requests, errs[0] = strconv.ParseFloat(parts[0], 64)
		rate.Spans, errs[1] = strconv.ParseFloat(parts[1], 64)
		errs[2] = rate.Bytes.UnmarshalText([]byte(parts[2]))
		for _, err := range errs {
			if err != nil || rate.Requests < 0 || rate.Spans < 0 {
				return nil, fmt.Errorf("rate-limit-project must have numbers that are not negative, such as prj-1=10/500/1MiB, got %q", text)
			}
		}
		rates[id] = rate
	}
	return rates, nil
}

func (r *RateLimit) verify(complain func(ok bool, format string, args ...any)) {
	complain(r.Requests >= 0 && r.Spans >= 0, "rate-limit-requests and rate-limit-spans must not be negative")
	_, err := r.Projects()
	complain(err == nil, "%w", err)
}
