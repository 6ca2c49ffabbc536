package chstore

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

// Footprint is what a table takes on disk.
type Footprint struct {
	Data  float64 // everything but the indexes: columns, marks, the parts' own small files
	Index float64 // primary key and skip indexes
}

// Footprint sums the active parts of a table.
func (s *Store) Footprint(ctx context.Context, table string) (Footprint, error) {
	var p params
	var disk, index proto.ColFloat64
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT toFloat64(sum(bytes_on_disk)) AS disk, toFloat64(sum(secondary_indices_compressed_bytes + secondary_indices_marks_bytes + primary_key_size)) AS idx" +
			" FROM system.parts WHERE active AND database = currentDatabase() AND table = " + p.text(table),
		Parameters: p.list,
		Result:     proto.Results{{Name: "disk", Data: &disk}, {Name: "idx", Data: &index}},
	})
	if err != nil || disk.Rows() != 1 {
		return Footprint{}, fmt.Errorf("measure table %s: %w", table, err)
	}
	return Footprint{Data: disk.Row(0) - index.Row(0), Index: index.Row(0)}, nil
}

// Compact merges each partition of a table down to one part, as closed partitions become in time.
// The engine says nothing while it does so, for longer than other statements may be silent.
func (s *Store) Compact(ctx context.Context, table string) error {
	options := s.inserts.options
	options.ReadTimeout = time.Hour
	patient := newPool(options, 1)
	defer patient.close()
	return patient.do(ctx, ch.Query{Body: "OPTIMIZE TABLE " + table + " FINAL"})
}

// Wide is the table that FillWide makes.
const Wide = "wide"

// How texts are kept, by us and in the wide table.
const (
	bigText   = "CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 2097152, max_compress_block_size = 2097152)"
	rareTexts = "texts Map(String, Array(String)) CODEC(ZSTD(3))"
)

// wideSlices keeps one join in a small part of the engine's memory.
const wideSlices = 64

// FillWide copies every observation into one wide table in the order of pages: the spine's own
// columns, codecs and sort key, and beside them input, output and other texts with the codec, the block
// size and the distance of marks that they have in payloads. It is what our layout is measured against.
func (s *Store) FillWide(ctx context.Context) error {
	statements := []string{
		"CREATE TABLE " + Wide + " AS observations ENGINE = ReplacingMergeTree(version) PARTITION BY toMonday(start_time)" +
			" PRIMARY KEY (project_id, start_time) ORDER BY (project_id, start_time, xxHash32(trace_id), span_id, trace_id)" +
			" SETTINGS index_granularity_bytes = 1048576, default_compression_codec = 'ZSTD(1)', enable_block_number_column = 1, enable_block_offset_column = 1",
		// A column that is added does not take its settings along.
		"ALTER TABLE " + Wide + " ADD COLUMN input String, ADD COLUMN output String, ADD COLUMN " + rareTexts,
		"ALTER TABLE " + Wide + " MODIFY COLUMN input String " + bigText + ", MODIFY COLUMN output String " + bigText,
	}
	for i := range wideSlices {
		// Payloads are sorted by trace: a slice of trace ids, which are hex, reads only its own.
		slice := fmt.Sprintf("trace_id >= '%02x' AND trace_id < '%02x'", i*256/wideSlices, (i+1)*256/wideSlices)
		if i == wideSlices-1 {
			slice = fmt.Sprintf("trace_id >= '%02x'", i*256/wideSlices)
		}
		statements = append(statements, "INSERT INTO "+Wide+
			" SELECT o.*, p.input, p.output, p.texts FROM (SELECT * FROM observations FINAL WHERE "+slice+") AS o"+
			" INNER JOIN (SELECT trace_id, start_time, span_id, input, output, texts FROM payloads FINAL WHERE "+slice+") AS p"+
			" ON o.trace_id = p.trace_id AND o.start_time = p.start_time AND o.span_id = p.span_id")
	}
	for _, statement := range statements {
		if err := s.Exec(ctx, statement); err != nil {
			return fmt.Errorf("fill the wide table: %w", err)
		}
	}
	return nil
}
