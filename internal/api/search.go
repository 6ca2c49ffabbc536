package api

import (
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/query"
)

// searchConditions reads the parameters that search in input and output. Every one of them counts as
// missing when it is empty.
func searchConditions(p *params) []filter.Condition {
	value, _ := p.text("search")
	mode, _ := p.text("searchMode")
	in, _ := p.text("searchIn")
	conditions, err := filter.ParseSearch(value, mode, query.SplitList(in))
	if err != nil {
		p.issues = append(p.issues, err)
	}
	return conditions
}
