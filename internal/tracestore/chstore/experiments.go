package chstore

import (
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/model"
)

// The keys of the column experiment, a map that is empty in rows of no experiment. They are stored:
// never change one. The expected output is a payload.
const (
	experimentID          = "id"
	experimentName        = "name"
	experimentDescription = "description"
	experimentDataset     = "dataset_id"
	experimentItem        = "item_id"
	experimentItemVersion = "item_version" // microseconds
	experimentItemRoot    = "item_root_id"
	// A metadata entry has its type, one digit, and its name behind these; entries are in order.
	experimentMetadata     = "metadata:"
	experimentItemMetadata = "item_metadata:"
)

// appendExperiment writes one row of the map.
func appendExperiment(column *proto.ColMap[string, string], x *model.Experiment) {
	if x != nil {
		add := func(key, value string) {
			if value != "" {
				column.Keys.Append(key)
				column.Values.Append(value)
			}
		}
		add(experimentID, x.ID)
		add(experimentName, x.Name)
		add(experimentDescription, x.Description)
		add(experimentDataset, x.DatasetID)
		add(experimentItem, x.ItemID)
		add(experimentItemRoot, x.ItemRootID)
		if !x.ItemVersion.IsZero() {
			add(experimentItemVersion, strconv.FormatInt(x.ItemVersion.UnixMicro(), 10))
		}
		appendEntries(column, experimentMetadata, x.Metadata)
		appendEntries(column, experimentItemMetadata, x.ItemMetadata)
	}
	column.Offsets.Append(uint64(column.Keys.Rows()))
}

func appendEntries(column *proto.ColMap[string, string], prefix string, entries []model.MetadataEntry) {
	for _, e := range entries {
		column.Keys.Append(prefix + strconv.Itoa(int(e.Type)) + e.Name)
		column.Values.Append(e.Value)
	}
}

// experimentOf reads one row of the map, with metadata if it is wanted; nil when it says nothing.
func experimentOf(row []proto.KV[string, string], metadata bool) *model.Experiment {
	if len(row) == 0 {
		return nil
	}
	x := &model.Experiment{}
	texts := map[string]*string{
		experimentID: &x.ID, experimentName: &x.Name, experimentDescription: &x.Description,
		experimentDataset: &x.DatasetID, experimentItem: &x.ItemID, experimentItemRoot: &x.ItemRootID,
	}
	for _, kv := range row {
		if text := texts[kv.Key]; text != nil {
			*text = kv.Value
			continue
		}
		if kv.Key == experimentItemVersion {
			us, err := strconv.ParseInt(kv.Value, 10, 64)
			if err == nil {
				x.ItemVersion = time.UnixMicro(us).UTC()
			}
			continue
		}
		if metadata {
			x.Metadata = addEntry(x.Metadata, experimentMetadata, kv)
			x.ItemMetadata = addEntry(x.ItemMetadata, experimentItemMetadata, kv)
		}
	}
	return x
}

// addEntry adds the entry that kv holds, if its key begins with prefix.
func addEntry(entries []model.MetadataEntry, prefix string, kv proto.KV[string, string]) []model.MetadataEntry {
	rest, ok := strings.CutPrefix(kv.Key, prefix)
	if !ok || rest == "" {
		return entries
	}
	return append(entries, model.MetadataEntry{Name: rest[1:], Value: kv.Value, Type: model.MetadataType(rest[0] - '0')})
}
