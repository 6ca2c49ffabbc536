package api_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/model"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	says := func(id, input, output string) *model.Observation {
		return row("project-a", "t", id, 0, func(o *model.Observation) { o.Input, o.Output, o.Name = input, output, id })
	}
	f.insert(t, says("c", "Payment declined", "Sorry"), says("b", "payments", "declined: payment"), says("a", "支払いが拒否されました", ""), row("project-b", "t", "secret", 0,
		func(o *model.Observation) { o.Input = "payment declined" }))
	for _, c := range []struct {
		query url.Values
		want  []string
	}{
		{url.Values{"search": {"payment"}}, []string{"c", "b"}},
		{url.Values{"search": {"PAYMENTS"}}, []string{"b"}},
		{url.Values{"search": {"payment"}, "searchIn": {"output"}}, []string{"b"}},
		{url.Values{"search": {"payment"}, "searchIn": {" input , input"}, "searchMode": {"phrase"}}, []string{"c"}},
		{url.Values{"search": {"declined payment"}, "searchMode": {"phrase"}}, []string{"b"}},
		{url.Values{"search": {"declined payment"}, "searchMode": {"substring"}}, nil},
		{url.Values{"search": {"^(Sorry|x)$"}, "searchMode": {"regex"}}, []string{"c"}},
		{url.Values{"search": {"拒否"}}, []string{"a"}},
		{url.Values{"search": {"payment"}, "name": {"b"}}, []string{"b"}},
		{url.Values{"search": {""}, "searchMode": {""}, "searchIn": {""}}, []string{"c", "b", "a"}},
		{url.Values{"search": {"secret"}}, nil},
	} {
		ids := decodePage(t, f.get(t, observations+"?"+c.query.Encode())).ids()
		if diff := cmp.Diff(c.want, ids, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.query, diff)
		}
	}
}
