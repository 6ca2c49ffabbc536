package chstore

import (
	"context"
	"fmt"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

// textIndexes are the indexes of the words in input and output, as the engine lists them in settings.
const textIndexes = "t_input, t_output"

// setTextIndex makes a node's tables have the indexes or not have them. A migration alone could not:
// it runs once, and the setting may change with every start. Parts that are there keep what they have
// when the indexes come, until they are merged; reads are right either way.
func setTextIndex(ctx context.Context, node *pool, config Config) error {
	table := layout{config}.Local("payloads")
	indexes, err := countTextIndexes(ctx, node, table)
	if err != nil {
		return err
	}
	if want := map[bool]uint64{true: 0, false: 2}[config.NoTextIndex]; indexes == want {
		return nil
	}
	change := "ADD INDEX IF NOT EXISTS t_input lower(input) TYPE text(tokenizer = splitByNonAlpha)," +
		" ADD INDEX IF NOT EXISTS t_output lower(output) TYPE text(tokenizer = splitByNonAlpha)"
	if config.NoTextIndex {
		change = "DROP INDEX IF EXISTS t_input, DROP INDEX IF EXISTS t_output"
	}
	if err := node.do(ctx, ch.Query{Body: "ALTER TABLE " + table + " " + change}); err != nil {
		return fmt.Errorf("change the text index: %w", err)
	}
	return nil
}

func countTextIndexes(ctx context.Context, node *pool, table string) (uint64, error) {
	var p params
	var count proto.ColUInt64
	err := node.do(ctx, ch.Query{
		Body: "SELECT count() AS n FROM system.data_skipping_indices WHERE database = currentDatabase() AND table = " + p.text(table) +
			" AND name IN ('t_input', 't_output')",
		Parameters: p.list,
		Result:     proto.Results{{Name: "n", Data: &count}},
	})
	if err != nil || count.Rows() != 1 {
		return 0, fmt.Errorf("look for the text index: %w", err)
	}
	return count.Row(0), nil
}
