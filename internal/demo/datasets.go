package demo

import "context"

// demoFolder is a dataset whose name puts it into folders, with few items.
type demoFolder struct {
	name, description      string
	input, expected        map[string]any // schemas; nil: anything fits
	items                  []map[string]any
	itemsBefore, itemsGone []map[string]any // what some of them were, and some that are archived
}

// object is a JSON Schema of an object with these members, one of which is required.
func object(required string, members map[string]any) map[string]any {
	return map[string]any{"type": "object", "required": []string{required}, "properties": members, "additionalProperties": false}
}

var demoFolders = []demoFolder{
	{
		name: "support/refunds", description: "Who gets money back, and how much",
		input: object("question", map[string]any{
			"question": map[string]any{"type": "string", "minLength": 5},
			"order":    map[string]any{"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"},
			"amount":   map[string]any{"type": "number", "minimum": 0},
		}),
		expected: object("refund", map[string]any{"refund": map[string]any{"type": "boolean"}, "reason": map[string]any{"type": "string"}}),
		itemsBefore: []map[string]any{
			item("refund-01", map[string]any{"question": "It arrived broken.", "order": "DE-1001"}, map[string]any{"refund": false}),
		},
		items: []map[string]any{
			item("refund-01", map[string]any{"question": "The blue lamp arrived broken.", "order": "DE-1001", "amount": 49.9}, map[string]any{"refund": true, "reason": "damaged"}),
			item("refund-02", map[string]any{"question": "I was charged twice for invoice 4211.", "order": "FR-2040", "amount": 120}, map[string]any{"refund": true, "reason": "charged twice"}),
			item("refund-03", map[string]any{"question": "I do not like the color any more.", "order": "DE-0007", "amount": 15}, map[string]any{"refund": false, "reason": "after 30 days"}),
		},
		itemsGone: []map[string]any{item("refund-99", map[string]any{"question": "A test, please ignore."}, map[string]any{"refund": false})},
	},
	{
		name: "support/escalations/legal", description: "Messages that a person has to read",
		items: []map[string]any{item("legal-01", map[string]any{"question": questions[7]}, map[string]any{"escalate": true}), item("legal-02", map[string]any{"question": questions[0]}, map[string]any{"escalate": false})},
	},
	{
		name: "catalog/reviews", description: "Reviews of customers, to be sorted into good and bad",
		items: []map[string]any{item("review-01", reviews[0], "good"), item("review-02", reviews[1], "bad"), item("review-03", reviews[5], "good")},
	},
}

func item(id string, input, expected any) map[string]any {
	return map[string]any{"id": id, "input": input, "expectedOutput": expected}
}

// sendDatasets makes datasets in folders, one of which holds its items to schemas. Running the demo again adds two versions
// of the items that changed.
func (d *demo) sendDatasets(ctx context.Context) error {
	for n, folder := range demoFolders {
		body := map[string]any{"name": folder.name, "description": folder.description, "inputSchema": folder.input, "expectedOutputSchema": folder.expected}
		id, err := d.client.create(ctx, "/api/public/v2/datasets", body)
		if err != nil {
			return err
		}
		for _, batch := range [][]map[string]any{folder.itemsBefore, folder.items} {
			if len(batch) == 0 {
				continue
			}
			if err := d.client.post(ctx, "/api/public/dataset-item-batches", map[string]any{"datasetId": id, "items": batch}); err != nil {
				return err
			}
		}
		for _, gone := range folder.itemsGone {
			gone := map[string]any{"datasetName": folder.name, "status": "ARCHIVED", "id": gone["id"], "input": gone["input"], "expectedOutput": gone["expectedOutput"]}
			if err := d.client.post(ctx, "/api/public/dataset-items", gone); err != nil {
				return err
			}
		}
		d.report(n+1, len(demoFolders))
	}
	return nil
}
