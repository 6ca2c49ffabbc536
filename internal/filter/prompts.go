package filter

import "github.com/sondehq/sonde/internal/model"

// The columns of prompts beside ID, Name, Type and Tags.
const (
	PromptNumber Column = "version" // a number, unlike CodeVersion, whose name it has
	CreatedAt    Column = "createdAt"
	UpdatedAt    Column = "updatedAt"
	Labels       Column = "labels"
	Config       Column = "config" // MetadataText and MetadataSet look at the values of its top level
)

// Prompts is the catalog of lists of prompts. Their texts are compared in another way: see metastore.Prompts.
var Prompts = Catalog{
	{Column: ID, Kind: KindText, NotEmpty: true},
	{Column: Name, Kind: KindText, NotEmpty: true},
	{Column: Type, Kind: KindText, NotEmpty: true, Values: []string{string(model.TextPrompt), string(model.ChatPrompt)}},
	{Column: PromptNumber, Kind: KindNumber},
	{Column: CreatedAt, Kind: KindTime},
	{Column: UpdatedAt, Kind: KindTime},
	{Column: Labels, Kind: KindList},
	{Column: Tags, Kind: KindList},
	{Column: Config, Kind: KindConfig},
}
