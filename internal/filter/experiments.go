package filter

// The columns of experiments and of their items that observations do not have under this name.
const (
	DatasetID        Column = "datasetId"
	ExperimentItemID Column = "experimentItemId"
)

// Experiments is the catalog of reads of experiments.
var Experiments = Catalog{
	{Column: ID, Kind: KindText, Nullable: true},
	{Column: Name, Kind: KindText, Nullable: true},
	{Column: DatasetID, Kind: KindText, Nullable: true},
}

// ExperimentItems is the catalog of reads of the items of experiments.
var ExperimentItems = Catalog{
	{Column: ExperimentID, Kind: KindText, Nullable: true},
	{Column: ExperimentName, Kind: KindText, Nullable: true},
	{Column: ExperimentItemID, Kind: KindText, Nullable: true},
	{Column: DatasetID, Kind: KindText, Nullable: true},
}
