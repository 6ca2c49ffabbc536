package filter

// Traces is the catalog of reads of traces. Name, user, session, release and tags are the trace's;
// environment, version and metadata those of its root; numbers are of all its observations together.
var Traces = Catalog{
	{Column: TraceID, Kind: KindText, Aliases: []string{"id", "ID", "Trace ID"}},
	{Column: TraceName, Kind: KindText, Nullable: true, Aliases: []string{"name", "Name", "Trace Name"}},
	{Column: UserID, Kind: KindText, Nullable: true, Aliases: []string{"User ID"}},
	{Column: SessionID, Kind: KindText, Nullable: true, Aliases: []string{"Session ID"}},
	{Column: Release, Kind: KindText, Nullable: true, Aliases: []string{"Release"}},
	{Column: Tags, Kind: KindList, Nullable: true, Aliases: []string{"traceTags", "Tags", "Trace Tags"}},

	{Column: StartTime, Kind: KindTime, Aliases: []string{"timestamp", "Timestamp"}},
	{Column: Environment, Kind: KindText, Aliases: []string{"traceEnvironment", "Environment"}},
	{Column: CodeVersion, Kind: KindText, Nullable: true, Aliases: []string{"Version"}},
	{Column: Metadata, Kind: KindMetadata, Aliases: []string{"Metadata"}},

	{Column: Latency, Kind: KindNumber, Aliases: []string{"Latency", "Latency (s)"}},
	{Column: InputTokens, Kind: KindNumber, Aliases: []string{"Input Tokens"}},
	{Column: OutputTokens, Kind: KindNumber, Aliases: []string{"Output Tokens"}},
	{Column: TotalTokens, Kind: KindNumber, Aliases: []string{"tokens", "Tokens", "Total Tokens"}},
	{Column: TotalCost, Kind: KindNumber, Aliases: []string{"Total Cost", "Total Cost ($)"}},
}
