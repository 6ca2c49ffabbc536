package datasets

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Summaries returns all datasets of a project by name, with counts of their items.
func (s *Service) Summaries(ctx context.Context, projectID string) ([]model.DatasetSummary, error) {
	return s.store.DatasetSummaries(ctx, projectID)
}

// maxListTime bounds a search through the texts of a dataset.
const maxListTime = 10 * time.Second

// Rows returns a page of items and how many there are on all pages. fault.Exhausted when a search takes
// too long.
func (s *Service) Rows(ctx context.Context, projectID string, l ItemList) (rows []model.DatasetItem, count int, err error) {
	bounded, cancel := context.WithTimeout(ctx, maxListTime)
	defer cancel()
	if count, err = s.CountItems(bounded, projectID, l); err == nil {
		err = s.EachItem(bounded, projectID, l, func(i model.DatasetItem) error {
			rows = append(rows, i)
			return nil
		})
	}
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		err = fault.New(fault.Exhausted, "The dataset is too large to be searched").Hint("export it, or look for an id")
	}
	return rows, count, err
}

// ItemTimes returns when items of a dataset changed, the newest first. fault.NotFound.
func (s *Service) ItemTimes(ctx context.Context, projectID, datasetID string, limit int) ([]model.ItemTime, error) {
	if _, err := s.ByID(ctx, projectID, datasetID); err != nil {
		return nil, err
	}
	return s.store.ItemTimes(ctx, projectID, datasetID, limit)
}

// Versions returns a page of the versions of an item without their texts, the newest first, and how many
// there are. fault.NotFound for an item that never was.
func (s *Service) Versions(ctx context.Context, projectID, id string, page, limit int) (list []model.DatasetItem, count int, err error) {
	q := metastore.ItemQuery{ProjectID: projectID, ItemID: id, AllVersions: true, AnyStatus: true, Cut: 1, Offset: offset(page, limit), Limit: limit}
	if count, err = s.countVersions(ctx, q); err != nil {
		return nil, 0, err
	}
	err = s.store.EachItem(ctx, q, func(i model.DatasetItem) error {
		i.Input, i.ExpectedOutput, i.Metadata = "", "", ""
		list = append(list, i)
		return nil
	})
	return list, count, err
}

func (s *Service) countVersions(ctx context.Context, q metastore.ItemQuery) (int, error) {
	if err := metastore.CheckID("id", q.ItemID); err != nil {
		return 0, noItem()
	}
	count, err := s.store.CountItems(ctx, q)
	if err == nil && count == 0 {
		err = noItem()
	}
	return count, err
}

// Version returns an item as it was at a time. fault.NotFound when there was none.
func (s *Service) Version(ctx context.Context, projectID, id string, at time.Time) (found model.DatasetItem, err error) {
	if err := metastore.CheckID("id", id); err != nil {
		return found, noItem()
	}
	q := metastore.ItemQuery{ProjectID: projectID, ItemID: id, At: at, AnyStatus: true, Limit: 1}
	err = s.store.EachItem(ctx, q, func(i model.DatasetItem) error {
		found = i
		return nil
	})
	if err == nil && found.ID == "" {
		err = fault.New(fault.NotFound, "The item has no version of that time").Hint("list its versions")
	}
	return found, err
}

// spellings are the ways in which clients write a text in JSON: plainly, with escapes where they are needed,
// and with everything escaped that is not ASCII.
func spellings(text string) []string {
	if text == "" {
		return nil
	}
	var quoted strings.Builder
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) != nil {
		return []string{text}
	}
	escaped := strings.Trim(quoted.String(), "\n")
	escaped = escaped[1 : len(escaped)-1]
	var ascii strings.Builder
	for _, r := range escaped {
		if r < utf8.RuneSelf {
			ascii.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&ascii, `\u%04x`, unit)
		}
	}
	all := []string{text, escaped, ascii.String()}
	slices.Sort(all)
	return slices.Compact(all)
}
