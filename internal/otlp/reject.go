package otlp

import (
	"fmt"
	"strings"
)

const (
	maxRejectionGroups = 32
	maxRejectionBytes  = 1024
	maxScopeShown      = 64
)

// rejections counts spans that were left out, by reason and scope.
type rejections struct {
	count  int
	groups []rejection
}

type rejection struct {
	reason, scope string
	count         int
}

func (r *rejections) add(reason, scope string, count int) {
	r.count += count
	for i := range r.groups {
		if g := &r.groups[i]; g.reason == reason && g.scope == scope {
			g.count += count
			return
		}
	}
	if len(r.groups) < maxRejectionGroups {
		r.groups = append(r.groups, rejection{reason, scope, count})
	}
}

// message names the reasons, "traceId:absent ×3 (scope my-lib)", in about maxRejectionBytes.
func (r *rejections) message() string {
	var b strings.Builder
	named := 0
	for _, g := range r.groups {
		part := fmt.Sprintf("%s ×%d", g.reason, g.count)
		if g.scope != "" {
			part += " (scope " + shorten(g.scope) + ")"
		}
		if b.Len()+len(part) > maxRejectionBytes {
			break
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(part)
		named += g.count
	}
	if rest := r.count - named; rest > 0 {
		fmt.Fprintf(&b, "; and %d more", rest)
	}
	return b.String()
}

// shorten makes a client's text fit for a message: valid UTF-8 of bounded length.
func shorten(s string) string {
	if len(s) > maxScopeShown {
		s = s[:maxScopeShown] + "…"
	}
	return strings.ToValidUTF8(s, "")
}
