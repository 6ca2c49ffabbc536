# Every target with a comment behind two hashes shows up in `make help`.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules

MODULE  := github.com/sondehq/sonde
VERSION := $(shell cat VERSION)
COMMIT  := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X $(MODULE)/internal/selfobs.Version=$(VERSION) -X $(MODULE)/internal/selfobs.Commit=$(COMMIT)

ENGINE   := $(or $(SONDE_ENGINE_LIBRARY),.engine/libchdb.so)
LINTER   := .cache/tools/golangci-lint-$(shell sed -n 's|.*/golangci-lint/v2 \(v[^ ]*\).*|\1|p' tools/go.mod)
S3SERVER := .cache/tools/s3server
NATS     := .cache/tools/nats-server
DEX      := .cache/tools/dex
HELM     := .cache/tools/helm
LINT_ENV := GOLANGCI_LINT_CACHE=$(CURDIR)/.cache/golangci-lint

# Two packages at a time: engines and servers run beside the tests.
GOTEST  := go test -p 2 -timeout 20m
PORTS   := ./internal/eventlog/... ./internal/tracestore/... ./internal/metastore/... ./internal/blob/... ./internal/jobs/...
# Watching SQLite, which is C made into Go, and the plain store that others are compared with triples the time of what uses them.
RACE_FREE := '-gcflags=modernc.org/...=-race=false' '-gcflags=$(MODULE)/internal/tracestore/tracestoretest=-race=false'
N       := 30
ARGS    ?=

# npm writes these when it is done; they are as new as the lock files they stand for.
UI_PACKAGES := ui/node_modules/.package-lock.json ui/tools/node_modules/.package-lock.json

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z0-9%-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: $(ENGINE) ## build bin/sonde (fetches the engine library when it is missing; embeds what `make ui` built)
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/sonde ./cmd/sonde

.PHONY: ui
ui: $(UI_PACKAGES) ## check, test and build the web interface, for the next build to embed (needs Node 20)
	cd ui && npm run types && npm run check && npm run lint && npm test && npm run build && npm run budget

.PHONY: ui-test
ui-test: $(UI_PACKAGES) $(ENGINE) ## build the web interface into bin/sonde and run all of its checks: units, budget, real browser (needs chromium)
	cd ui && npm run types && npm run build && npm run budget
	$(MAKE) build
	cd ui && npx vitest run --project unit --project browser $(ARGS)

.PHONY: ui-browser
ui-browser: build $(UI_PACKAGES) ## the checks of the web interface in a real browser only; ARGS=axe runs one file
	cd ui && npx vitest run --project browser $(ARGS)

.PHONY: ui-million
ui-million: build $(UI_PACKAGES) ## open a trace of a million observations in a browser and print what it takes (some minutes)
	cd ui && npx vitest run --project million

.PHONY: ui-shots
ui-shots: build $(UI_PACKAGES) ## pictures of every page in both themes and widths, into ui/shots
	cd ui && npx vitest run --project shots

# Install scripts stay off: nothing we use needs one.
%/node_modules/.package-lock.json: %/package-lock.json %/package.json
	npm --prefix $* ci --ignore-scripts --no-audit --no-fund
	touch $@

.PHONY: engine
engine: ## fetch the engine library into .engine/
	tools/engine.sh

$(ENGINE):
	tools/engine.sh

.PHONY: s3server
s3server: $(S3SERVER) ## build the S3 server that tests run against (once, about 3 minutes)

$(S3SERVER): tools/s3server/go.mod
	@echo "building $@"
	cd tools/s3server && CGO_ENABLED=0 nice go build -trimpath -ldflags '-s -w' -o ../../$@ github.com/versity/versitygw/cmd/versitygw
	touch $@

.PHONY: dex
dex: $(DEX) ## build the OIDC provider that tests sign in with (once, about 3 minutes)

$(DEX): tools/dex/go.mod tools/dex/main.go
	@echo "building $@"
	cd tools/dex && CGO_ENABLED=0 nice go build -trimpath -ldflags '-s -w' -o ../../$@ .
	touch $@

.PHONY: nats-server
nats-server: $(NATS) ## build the NATS server that clusters run with, of the version that we embed

$(NATS): go.mod
	@echo "building $@"
	CGO_ENABLED=0 nice go build -trimpath -ldflags '-s -w' -o $@ github.com/nats-io/nats-server/v2
	touch $@

.PHONY: cluster
cluster: build $(S3SERVER) $(NATS) ## a whole cluster on this machine, until it is interrupted (needs postgresql)
	go run ./e2e/cluster/start

.PHONY: cluster-test
cluster-test: build $(S3SERVER) $(NATS) $(DEX) ## scenarios, SDKs and the suites of the ports on a cluster
	tools/cluster-test.sh $(or $(SIZE),all)

.PHONY: chaos
chaos: build $(S3SERVER) $(NATS) ## FAULTS=200 faults into a cluster under load; DIR=... keeps logs and data, and goes on with them
	SONDE_CHAOS_FAULTS=$(or $(FAULTS),200) SONDE_CHAOS_ALERTS=all SONDE_CHAOS_DIR=$(DIR) $(GOTEST) -count=1 -v -timeout 24h -run '^TestChaos$$' ./e2e

.PHONY: scale
scale: build $(S3SERVER) $(NATS) ## how much more two writers and two shards carry than one of each, on equal shares of a core
	SONDE_SCALE_SPANS=$(or $(SPANS),400000) $(GOTEST) -tags scale -count=1 -v -timeout 2h -run '^TestTwoPairsCarryMoreThanOne$$' ./e2e

.PHONY: helm
helm: $(HELM) ## build helm, which the chart is checked with (once, about 3 minutes)

$(HELM): tools/helm/go.mod
	@echo "building $@"
	cd tools/helm && CGO_ENABLED=0 nice go build -trimpath -ldflags '-s -w' -o ../../$@ helm.sh/helm/v4/cmd/helm
	touch $@

.PHONY: run
run: build ## serve on ./data; more flags by ARGS="..."
	bin/sonde serve --data-dir data $(ARGS)

.PHONY: fmt
fmt: $(LINTER) ## format the code
	$(LINT_ENV) $(LINTER) fmt

.PHONY: lint
lint: $(LINTER) ## run the linters (built once, about 3 minutes); ARGS=--fix repairs what it can
	$(LINT_ENV) $(LINTER) run $(ARGS) ./...

$(LINTER):
	@echo "building $@"
	cd tools && CGO_ENABLED=0 nice go build -trimpath -o ../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

.PHONY: test
test: build $(S3SERVER) $(NATS) $(DEX) ## all tests
	$(GOTEST) ./...

.PHONY: test-short
test-short: $(DEX) ## tests that need no engine, under a minute
	$(GOTEST) $$(go list ./... | grep -vE '/(e2e|engine|chstore|sqlstore|natslog|s3blob|testkit)$$')

.PHONY: test-race
test-race: build $(S3SERVER) $(NATS) $(DEX) ## all tests with the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GOTEST) -race $(RACE_FREE) ./...

.PHONY: contract
contract: $(ENGINE) $(S3SERVER) ## the suite of every port on each of its implementations
	$(GOTEST) -count=1 $(PORTS)

.PHONY: fuzz
fuzz: ## every fuzz target, N=30 seconds each
	tools/fuzz.sh $(N)

.PHONY: golden
golden: build $(S3SERVER) $(DEX) ## rewrite golden files; read the diff before you commit it
	$(GOTEST) $$(grep -rlE --include='*_test.go' 'testkit\.Golden|flag\.Bool\("update"' e2e internal | xargs -n 1 dirname | sort -u | sed 's|^|./|') -update

.PHONY: e2e
e2e: build $(S3SERVER) $(NATS) $(DEX) ## scenarios against the built binary
	$(GOTEST) -count=1 ./e2e/...

.PHONY: sdk
sdk: build ## journeys of the published SDKs, old majors too; CHECKS=all|part,part and JOURNEYS="py3 js4" select
	CHECKS='$(CHECKS)' JOURNEYS='$(JOURNEYS)' e2e/sdk/run.sh

.PHONY: schema
schema: build ## generated requests to every operation of the description, answers held against it
	tools/schemathesis.sh

.PHONY: compat
compat: build ## run what docs/compat.md is made of, and write its tables
	$(GOTEST) -count=1 -run '^TestGoldens$$' ./e2e
	e2e/sdk/run.sh
	tools/compat.py

bench-%: build ## a measurement or proof of `sonde bench`, flags by ARGS="..."
	bin/sonde bench $* $(ARGS)

.PHONY: prove
prove: build ## the long proofs (hours); PROOF=name runs one of them
	tools/prove.sh long $(PROOF)

.PHONY: prove-reads
prove-reads: $(ENGINE) ## 10,000 random filters on random rows, each answer compared with an oracle
	tools/prove.sh long conditions

.PHONY: prove-erase
prove-erase: build ## deletes under load: hidden at once, and in no file any more, with every file decoded
	tools/prove.sh long erase
.PHONY: prove-backup
prove-backup: build ## back up and restore a server with a million observations, and compare what both answer
	tools/prove.sh long backup

.PHONY: upgrade
upgrade: build $(S3SERVER) $(NATS) ## the last release and this version on the same data under load, forward and back (needs postgresql)
	tools/upgrade.sh

.PHONY: docs
docs: docs/node_modules/.package-lock.json ## build the documentation site into docs/.vitepress/dist; fails on dead links
	cd docs && npm run build

.PHONY: quickstart
quickstart: ## do what docs/quickstart.md says, with the release in dist/
	tools/quickstart.sh

.PHONY: sdk-pages
sdk-pages: build ## run the programs of docs/sdks against a server; ARGS="openai langchain" runs these
	tools/sdk-pages.sh $(ARGS)

.PHONY: release
release: $(UI_PACKAGES) $(ENGINE) ## build what a release offers into dist/: archives, packages, engine, SBOM, sums
	cd ui && npm run types && npm run build && npm run budget
	tools/release.sh

.PHONY: release-check
release-check: ## build a release twice in two places and compare every sum; ARGS=small for this platform only
	tools/release-check.sh $(ARGS)

.PHONY: packaging
packaging: build $(HELM) ## check the files that Sonde is packaged and deployed with; UPDATE=1 writes what the chart renders to
	tools/packaging.sh

.PHONY: changelog
changelog: ## move the notes in changes/ into CHANGELOG.md, as those of VERSION=...
	tools/changelog.py $(VERSION)

.PHONY: ci
ci: ## everything CI does
	.ci/run

.PHONY: clean
clean: ## remove what was built (keeps .cache and .engine)
	rm -rf bin dist docs/.vitepress/dist
	git clean -fdXq ui/dist
