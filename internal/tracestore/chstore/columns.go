package chstore

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

// costDigits is how many decimal places a cost keeps.
const costDigits = 12

// money is Decimal(18, 12); the library's own column does not name its scale.
type money struct{ proto.ColDecimal64 }

func (*money) Type() proto.ColumnType { return "Decimal(18, 12)" }

// costMap is Map(LowCardinality(String), Decimal(18, 12)); it knows its type, and the library
// cannot read one with a comma in it.
type costMap struct {
	*proto.ColMap[string, proto.Decimal64]
}

// Infer takes the type as given.
func (costMap) Infer(proto.ColumnType) error { return nil }

// spine is one block of the table observations, for inserts and for reads.
type spine struct {
	projectID, typ, name, level, environment, codeVersion, traceName, release *proto.ColLowCardinality[string]
	model, modelID, pricingTier, promptID, promptName                         *proto.ColLowCardinality[string]
	serviceName, serviceVersion, scopeName, scopeVersion                      *proto.ColLowCardinality[string]
	sdkName, sdkVersion                                                       *proto.ColLowCardinality[string]

	traceID, spanID, parentID, statusMessage, userID, sessionID, modelParameters proto.ColStr
	usageOrigin, costOrigin, pricingTierID                                       proto.ColStr

	start, end, completionStart proto.ColDateTime64

	tags, toolNames, calledTools  *proto.ColArr[string]
	bookmarked, public, appRoot   proto.ColBool
	usage                         *proto.ColMap[string, uint64]
	cost                          costMap
	inputTokens, outputTokens     proto.ColUInt64
	totalTokens                   *proto.ColNullable[uint64]
	inputCost, outputCost, totals *proto.ColNullable[proto.Decimal64]
	promptVersion                 proto.ColUInt32
	metaNames, metaValues         *proto.ColArr[string]
	metaTypes                     *proto.ColArr[uint8]
	experiment                    *proto.ColMap[string, string] // see experiments.go
	createdAt                     proto.ColDateTime64           // zero: the version's time
	version                       proto.ColUInt64
	deleted                       proto.ColBool

	with    parts
	columns []namedColumn
}

// namedColumn is a column of a block under its name in the table.
type namedColumn struct {
	name string
	data proto.Column
}

// inputOf makes columns the rows of a statement.
func inputOf(columns []namedColumn) proto.Input {
	input := make(proto.Input, len(columns))
	for i, c := range columns {
		input[i] = proto.InputColumn{Name: c.name, Data: c.data}
	}
	return input
}

// resultOf makes columns the result of a statement and lists their names.
func resultOf(columns []namedColumn) (string, proto.Results) {
	results := make(proto.Results, len(columns))
	for i, c := range columns {
		results[i] = proto.ResultColumn{Name: c.name, Data: c.data}
	}
	return namesOf(columns), results
}

func namesOf(columns []namedColumn) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}

func lowCardinality() *proto.ColLowCardinality[string] { return new(proto.ColStr).LowCardinality() }

// parts says which columns of the spine a read returns beside those that every row shows: reads that do
// not show the others need not pay for them.
type parts struct{ details, metadata bool }

// newSpine makes an empty block.
func newSpine(with parts) *spine {
	s := &spine{with: with}
	for _, lc := range []**proto.ColLowCardinality[string]{
		&s.projectID, &s.typ, &s.name, &s.level, &s.environment, &s.codeVersion, &s.traceName, &s.release,
		&s.model, &s.modelID, &s.pricingTier, &s.promptID, &s.promptName,
		&s.serviceName, &s.serviceVersion, &s.scopeName, &s.scopeVersion, &s.sdkName, &s.sdkVersion,
	} {
		*lc = lowCardinality()
	}
	for _, at := range []*proto.ColDateTime64{&s.start, &s.end, &s.completionStart} {
		at.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	}
	s.createdAt.WithPrecision(proto.PrecisionMilli).WithLocation(time.UTC)
	s.tags = proto.NewArray[string](lowCardinality())
	s.toolNames, s.calledTools = new(proto.ColStr).Array(), new(proto.ColStr).Array()
	s.usage = proto.NewMap[string, uint64](lowCardinality(), new(proto.ColUInt64))
	s.cost = costMap{proto.NewMap[string, proto.Decimal64](lowCardinality(), new(money))}
	s.totalTokens = proto.NewColNullable[uint64](new(proto.ColUInt64))
	s.inputCost = proto.NewColNullable[proto.Decimal64](new(money))
	s.outputCost = proto.NewColNullable[proto.Decimal64](new(money))
	s.totals = proto.NewColNullable[proto.Decimal64](new(money))
	s.metaNames = proto.NewArray[string](lowCardinality())
	s.metaValues = new(proto.ColStr).Array()
	s.metaTypes = new(proto.ColUInt8).Array()
	s.experiment = proto.NewMap[string, string](new(proto.ColStr), new(proto.ColStr))
	s.columns = s.rowColumns()
	if with.details {
		s.columns = append(s.columns, s.detailColumns()...)
	}
	if with.metadata {
		s.columns = append(s.columns, namedColumn{"meta_names", s.metaNames}, namedColumn{"meta_values", s.metaValues}, namedColumn{"meta_types", s.metaTypes})
	}
	return s
}

// rowColumns are those that every read returns.
func (s *spine) rowColumns() []namedColumn {
	return []namedColumn{
		{"project_id", s.projectID},
		{"trace_id", &s.traceID},
		{"span_id", &s.spanID},
		{"parent_span_id", &s.parentID},
		{"start_time", &s.start},
		{"end_time", &s.end},
		{"completion_start_time", &s.completionStart},
		{"type", s.typ},
		{"name", s.name},
		{"level", s.level},
		{"status_message", &s.statusMessage},
		{"environment", s.environment},
		{"code_version", s.codeVersion},
		{"user_id", &s.userID},
		{"session_id", &s.sessionID},
		{"trace_name", s.traceName},
		{"release", s.release},
		{"tags", s.tags},
		{"bookmarked", &s.bookmarked},
		{"public", &s.public},
		{"app_root", &s.appRoot},
		{"created_at", &s.createdAt},
		{"version", &s.version},
		{"deleted", &s.deleted},
	}
}

// detailColumns are those that a brief read leaves out.
func (s *spine) detailColumns() []namedColumn {
	return []namedColumn{
		{"model", s.model},
		{"model_id", s.modelID},
		{"model_parameters", &s.modelParameters},
		{"usage_details", s.usage},
		{"cost_details", s.cost},
		{"pricing_tier", s.pricingTier},
		{"prompt_id", s.promptID},
		{"prompt_name", s.promptName},
		{"prompt_version", &s.promptVersion},
		{"service_name", s.serviceName},
		{"service_version", s.serviceVersion},
		{"scope_name", s.scopeName},
		{"scope_version", s.scopeVersion},
		{"sdk_name", s.sdkName},
		{"sdk_version", s.sdkVersion},
		{"usage_origin", &s.usageOrigin},
		{"cost_origin", &s.costOrigin},
		{"pricing_tier_id", &s.pricingTierID},
		{"tool_names", s.toolNames},
		{"called_tool_names", s.calledTools},
		{"experiment", s.experiment},
	}
}

// insertColumns are all columns of the table: those that reads use and the sums that only
// filters and metrics look at.
func (s *spine) insertColumns() []namedColumn {
	return append(slices.Clip(s.columns),
		namedColumn{"input_tokens", &s.inputTokens}, namedColumn{"output_tokens", &s.outputTokens}, namedColumn{"total_tokens", s.totalTokens},
		namedColumn{"input_cost", s.inputCost}, namedColumn{"output_cost", s.outputCost}, namedColumn{"total_cost", s.totals})
}

func (s *spine) append(o *model.Observation) {
	s.projectID.Append(o.ProjectID)
	s.traceID.Append(o.TraceID)
	s.spanID.Append(o.ID)
	s.parentID.Append(o.ParentID)
	s.start.AppendRaw(micros(o.StartTime))
	s.end.AppendRaw(micros(o.EndTime))
	s.completionStart.AppendRaw(micros(o.CompletionStartTime))
	s.typ.Append(string(o.Type))
	s.name.Append(o.Name)
	s.level.Append(string(o.Level))
	s.statusMessage.Append(o.StatusMessage)
	s.environment.Append(o.Environment)
	s.codeVersion.Append(o.CodeVersion)
	s.userID.Append(o.UserID)
	s.sessionID.Append(o.SessionID)
	s.traceName.Append(o.TraceName)
	s.release.Append(o.Release)
	s.tags.Append(o.Tags)
	s.bookmarked.Append(o.Bookmarked)
	s.public.Append(o.Public)
	s.appRoot.Append(o.AppRoot)
	s.model.Append(o.Model)
	s.modelID.Append(o.ModelID)
	s.modelParameters.Append(o.ModelParameters)
	s.pricingTier.Append(o.PricingTier)
	s.promptID.Append(o.PromptID)
	s.promptName.Append(o.PromptName)
	s.promptVersion.Append(o.PromptVersion)
	s.serviceName.Append(o.ServiceName)
	s.serviceVersion.Append(o.ServiceVersion)
	s.scopeName.Append(o.ScopeName)
	s.scopeVersion.Append(o.ScopeVersion)
	s.sdkName.Append(o.SDKName)
	s.sdkVersion.Append(o.SDKVersion)
	s.usageOrigin.Append(string(o.UsageOrigin))
	s.costOrigin.Append(string(o.CostOrigin))
	s.pricingTierID.Append(o.PricingTierID)
	appendNames(s.toolNames, o.ToolDefinitions)
	appendNames(s.calledTools, o.ToolCalls)
	s.createdAt.AppendRaw(createdBefore(o))
	s.version.Append(o.Version)
	s.deleted.Append(o.Deleted)
	s.appendMetadata(o.Metadata)
	appendExperiment(s.experiment, o.Experiment)
	s.appendUsage(o)
}

func (s *spine) appendMetadata(entries []model.MetadataEntry) {
	for _, e := range entries {
		s.metaNames.Data.Append(e.Name)
		s.metaValues.Data.Append(e.Value)
		s.metaTypes.Data.Append(uint8(e.Type))
	}
	end := uint64(s.metaTypes.Data.Rows())
	s.metaNames.Offsets.Append(end)
	s.metaValues.Offsets.Append(end)
	s.metaTypes.Offsets.Append(end)
}

func appendNames(column *proto.ColArr[string], tools []model.Tooling) {
	for _, tool := range tools {
		column.Data.Append(tool.Name)
	}
	column.Offsets.Append(uint64(column.Data.Rows()))
}

// createdBefore is when o was created if that is not the time of its version, which needs no column.
func createdBefore(o *model.Observation) proto.DateTime64 {
	if o.CreatedAt.IsZero() || o.CreatedAt.Equal(model.AcceptedAt(o.Version)) {
		return 0
	}
	return proto.DateTime64(o.CreatedAt.UnixMilli())
}

// appendUsage writes maps in key order: the same row gives the same bytes.
func (s *spine) appendUsage(o *model.Observation) {
	for _, key := range slices.Sorted(maps.Keys(o.UsageDetails)) {
		s.usage.Keys.Append(key)
		s.usage.Values.Append(o.UsageDetails[key])
	}
	s.usage.Offsets.Append(uint64(s.usage.Keys.Rows()))
	for _, key := range slices.Sorted(maps.Keys(o.CostDetails)) {
		s.cost.Keys.Append(key)
		s.cost.Values.Append(scaled(o.CostDetails[key]))
	}
	s.cost.Offsets.Append(uint64(s.cost.Keys.Rows()))

	tokens, costs := o.Tokens(), o.Costs()
	s.inputTokens.Append(tokens.Input)
	s.outputTokens.Append(tokens.Output)
	s.totalTokens.Append(proto.Nullable[uint64]{Set: tokens.HasTotal, Value: tokens.Total})
	s.inputCost.Append(nullable(costs.Input))
	s.outputCost.Append(nullable(costs.Output))
	s.totals.Append(nullable(costs.Total))
}

// row reads row i of the block.
func (s *spine) row(i int) *model.Observation {
	o := &model.Observation{
		ProjectID: s.projectID.Row(i), TraceID: s.traceID.Row(i), ID: s.spanID.Row(i), ParentID: s.parentID.Row(i),
		StartTime: s.start.Row(i).UTC(), EndTime: timeOf(s.end.Data[i]), CompletionStartTime: timeOf(s.completionStart.Data[i]),
		Type: model.Type(s.typ.Row(i)), Name: s.name.Row(i), Level: model.Level(s.level.Row(i)), StatusMessage: s.statusMessage.Row(i),
		Environment: s.environment.Row(i), CodeVersion: s.codeVersion.Row(i),
		UserID: s.userID.Row(i), SessionID: s.sessionID.Row(i), TraceName: s.traceName.Row(i), Release: s.release.Row(i),
		Tags: s.tags.Row(i), Bookmarked: s.bookmarked.Row(i), Public: s.public.Row(i), AppRoot: s.appRoot.Row(i),
		Version: s.version.Row(i), CreatedAt: model.AcceptedAt(s.version.Row(i)), Deleted: s.deleted.Row(i),
	}
	if at := s.createdAt.Data[i]; at != 0 {
		o.CreatedAt = time.UnixMilli(int64(at)).UTC()
	}
	if s.with.details {
		s.fillDetails(o, i)
	}
	if s.with.metadata {
		o.Metadata = s.metadataRow(i)
	}
	return o
}

// fillDetails gives o the detail columns of row i.
func (s *spine) fillDetails(o *model.Observation, i int) {
	o.Model, o.ModelID, o.ModelParameters = s.model.Row(i), s.modelID.Row(i), s.modelParameters.Row(i)
	o.PricingTier, o.PricingTierID = s.pricingTier.Row(i), s.pricingTierID.Row(i)
	o.PromptID, o.PromptName, o.PromptVersion = s.promptID.Row(i), s.promptName.Row(i), s.promptVersion.Row(i)
	o.ServiceName, o.ServiceVersion = s.serviceName.Row(i), s.serviceVersion.Row(i)
	o.ScopeName, o.ScopeVersion = s.scopeName.Row(i), s.scopeVersion.Row(i)
	o.SDKName, o.SDKVersion = s.sdkName.Row(i), s.sdkVersion.Row(i)
	o.UsageOrigin, o.CostOrigin = model.Origin(s.usageOrigin.Row(i)), model.Origin(s.costOrigin.Row(i))
	o.ToolDefinitions, o.ToolCalls = toolings(s.toolNames.Row(i)), toolings(s.calledTools.Row(i))
	o.Experiment = experimentOf(s.experiment.RowKV(i), s.with.metadata)
	if usage := s.usage.Row(i); len(usage) > 0 {
		o.UsageDetails = usage
	}
	if costs := s.cost.Row(i); len(costs) > 0 {
		o.CostDetails = make(map[string]decimal.Decimal, len(costs))
		for key, amount := range costs {
			o.CostDetails[key] = decimal.New(int64(amount), -costDigits)
		}
	}
}

func (s *spine) metadataRow(i int) []model.MetadataEntry {
	return metadataOf(s.metaNames.Row(i), s.metaValues.Row(i), s.metaTypes.Row(i))
}

func metadataOf(names, values []string, types []uint8) []model.MetadataEntry {
	if len(names) == 0 {
		return nil
	}
	entries := make([]model.MetadataEntry, len(names))
	for k := range names {
		entries[k] = model.MetadataEntry{Name: names[k], Value: values[k], Type: model.MetadataType(types[k])}
	}
	return entries
}

// toolings are tools of which only the names are known yet.
func toolings(names []string) []model.Tooling {
	if len(names) == 0 {
		return nil
	}
	tools := make([]model.Tooling, len(names))
	for i, name := range names {
		tools[i].Name = name
	}
	return tools
}

// micros renders a time; the epoch stands for "not set".
func micros(t time.Time) proto.DateTime64 {
	if t.IsZero() {
		return 0
	}
	return proto.DateTime64(t.UnixMicro())
}

func timeOf(at proto.DateTime64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(at)).UTC()
}

func scaled(d decimal.Decimal) proto.Decimal64 {
	return proto.Decimal64(d.Shift(costDigits).IntPart())
}

func nullable(d decimal.NullDecimal) proto.Nullable[proto.Decimal64] {
	return proto.Nullable[proto.Decimal64]{Set: d.Valid, Value: scaled(d.Decimal)}
}
