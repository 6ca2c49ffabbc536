package chstore

import (
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/model"
)

// experimentColumns are the columns of observations that tie a row to an experiment. All are empty
// in rows of none; the expected output is a payload.
type experimentColumns struct {
	id, name, description, datasetID, itemID, itemRootID proto.ColStr
	itemVersion                                          proto.ColDateTime64
	metadata, itemMetadata                               *entryColumns
	columns                                              []namedColumn
}

func newExperimentColumns() *experimentColumns {
	e := &experimentColumns{metadata: newEntryColumns("experiment_meta"), itemMetadata: newEntryColumns("experiment_item_meta")}
	e.itemVersion.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	e.columns = []namedColumn{
		{"experiment_id", &e.id},
		{"experiment_name", &e.name},
		{"experiment_description", &e.description},
		{"experiment_dataset_id", &e.datasetID},
		{"experiment_item_id", &e.itemID},
		{"experiment_item_version", &e.itemVersion},
		{"experiment_item_root_id", &e.itemRootID},
	}
	return e
}

// none is appended for rows of no experiment.
var none model.Experiment

func (e *experimentColumns) append(x *model.Experiment) {
	if x == nil {
		x = &none
	}
	e.id.Append(x.ID)
	e.name.Append(x.Name)
	e.description.Append(x.Description)
	e.datasetID.Append(x.DatasetID)
	e.itemID.Append(x.ItemID)
	e.itemVersion.AppendRaw(micros(x.ItemVersion))
	e.itemRootID.Append(x.ItemRootID)
	e.metadata.append(x.Metadata)
	e.itemMetadata.append(x.ItemMetadata)
}

// row reads row i, with metadata where the block has it; nil when it says nothing.
func (e *experimentColumns) row(i int, metadata bool) *model.Experiment {
	x := model.Experiment{
		ID: e.id.Row(i), Name: e.name.Row(i), Description: e.description.Row(i), DatasetID: e.datasetID.Row(i),
		ItemID: e.itemID.Row(i), ItemVersion: timeOf(e.itemVersion.Data[i]), ItemRootID: e.itemRootID.Row(i),
	}
	if metadata {
		x.Metadata, x.ItemMetadata = e.metadata.row(i), e.itemMetadata.row(i)
	}
	if x.ID+x.Name+x.Description+x.DatasetID+x.ItemID+x.ItemRootID == "" && x.ItemVersion.IsZero() && len(x.Metadata)+len(x.ItemMetadata) == 0 {
		return nil
	}
	return &x
}
