package api_test

import "maps"

// addDeprecatedValues adds what B asks deprecated routes with.
func addDeprecatedValues(v *foreignValues) {
	maps.Copy(v.parameters, map[string][]string{
		"tags": {"foreign-tags"}, "release": {"foreign-release"}, "orderBy": {"name.asc", "userId.desc", "version.asc"},
		"operator": {"=", "!="}, "scoreIds": {"foreign-score0,foreign-score1"}, "datasetRunId": {"foreign-experimentId"}, "traceName": {"foreign-traceName"},
		"GET /api/public/traces name": {"foreign-traceName"}, "GET /api/public/traces fields": {"core,io", "observations,scores,metrics"},
		"GET /api/public/scores fields": {"score"}, "GET /api/public/v2/scores fields": {"score"},
		"GET /api/public/scores filter": scoreFilters(), "GET /api/public/v2/scores filter": scoreFilters(),
	})
	for _, route := range []string{"POST /api/public/traces", "POST /api/public/spans", "POST /api/public/generations", "POST /api/public/events"} {
		v.bodies[route] = []string{`{"id":"foreign-traceId","traceId":"foreign-traceId","name":"mine"}`}
	}
	v.bodies["PATCH /api/public/spans"] = []string{`{"spanId":"foreign-id1","traceId":"foreign-traceId","name":"mine"}`}
	v.bodies["PATCH /api/public/generations"] = []string{`{"generationId":"foreign-id1","traceId":"foreign-traceId","name":"mine"}`}
}

func scoreFilters() (filters []string) {
	for _, column := range []string{"id", "name", "environment", "configId", "queueId", "authorUserId", "traceId", "sessionId", "observationId", "experimentId", "userId"} {
		filters = append(filters,
			`[{"type":"string","column":"`+column+`","operator":"contains","value":"foreign"}]`,
			`[{"type":"null","column":"`+column+`","operator":"is not null"}]`)
	}
	return append(filters, `[{"type":"arrayOptions","column":"tags","operator":"any of","value":["foreign-tags"]}]`,
		`[{"type":"number","column":"value","operator":"=","value":777}]`)
}
