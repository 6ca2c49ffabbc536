package api

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/query"
)

// oldMetrics serves GET /api/public/metrics.
func (s *server) oldMetrics(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.answerMetrics(w, r, caller, s.Query.OldMetrics)
}

type dayJSON struct {
	Date         string         `json:"date"`
	Traces       json.Number    `json:"countTraces"`
	Observations json.Number    `json:"countObservations"`
	TotalCost    json.Number    `json:"totalCost"`
	Usage        []dayModelJSON `json:"usage"`
}

type dayModelJSON struct {
	Model        *string     `json:"model"`
	Input        json.Number `json:"inputUsage"`
	Output       json.Number `json:"outputUsage"`
	Total        json.Number `json:"totalUsage"`
	Observations json.Number `json:"countObservations"`
	Traces       json.Number `json:"countTraces"`
	TotalCost    json.Number `json:"totalCost"`
}

func dayOf(d query.Day) dayJSON {
	number := func(n decimal.Decimal) json.Number { return json.Number(n.String()) }
	day := dayJSON{
		Date: d.Date.Format(time.DateOnly), Traces: number(d.Traces), Observations: number(d.Observations), TotalCost: number(d.TotalCost),
		Usage: []dayModelJSON{},
	}
	for _, m := range d.Models {
		day.Usage = append(day.Usage, dayModelJSON{
			orNull(m.Model), number(m.Input), number(m.Output), number(m.Total), number(m.Observations), number(m.Traces), number(m.TotalCost),
		})
	}
	return day
}

// dailyMetrics serves GET /api/public/metrics/daily.
func (s *server) dailyMetrics(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, number, err := readNumbered(r)
	if err != nil {
		return err
	}
	req := query.DailyRequest{Number: number, Where: p.equals(map[string]filter.Column{"traceName": filter.TraceName, "userId": filter.UserID})}
	req.Where = append(req.Where, p.allTags("tags")...)
	req.Where = append(req.Where, p.anyOf("environment", filter.Environment)...)
	req.From, _ = p.time("fromTimestamp")
	req.To, _ = p.time("toTimestamp")
	if err := p.err(); err != nil {
		return err
	}
	days, total, err := s.Query.Daily(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	return writeNumbered(w, len(days), func(i int) any { return dayOf(days[i]) }, metaOf(number.Page, number.Limit, int(total)))
}
