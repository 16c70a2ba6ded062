# swarmrun: every target explains itself; `make` prints them.

GO          ?= go
FUZZTIME    ?= 10s
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
BIN         ?= bin/swarmrun
VERSION     ?= $(if $(wildcard .git),$(shell git describe --tags --always --dirty))
COMMIT      ?= $(if $(wildcard .git),$(shell git rev-parse HEAD))
LDFLAGS      = -s -w $(foreach v,release=$(VERSION) commit=$(COMMIT),-X github.com/swarmrun/swarmrun/cmd/swarmrun/internal/version.$(v))
UPDATABLE    = $(shell git grep -l 'Bool."update"' -- '*_test.go' | xargs -r -n1 dirname | sort -u | sed 's|^|./|')

.DEFAULT_GOAL := help
.PHONY: help build test race lint fmt fuzz golden examples bench bench-reload cover check budget cross mutate

help: ## print this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/swarmrun, static and stripped
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='$(LDFLAGS)' -o $(BIN) ./cmd/swarmrun

test: ## run the test suite: offline, no key needed
	$(GO) test -shuffle=on ./...

race: ## run the test suite with the race detector
	$(GO) test -race -timeout 20m -shuffle=on ./...

lint: ## check formatting, vet, staticcheck
	@out=$$(gofmt -l $$(git ls-files '*.go' | grep -v /testdata/)); [ -z "$$out" ] || { echo "not formatted, run make fmt:"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

fmt: ## format the Go code
	gofmt -w $$(git ls-files '*.go' | grep -v /testdata/)

fuzz: ## run each fuzz target for FUZZTIME (10s)
	.ci/fuzz $(FUZZTIME)

mutate: ## break each rule of the providers on purpose and show that the suite notices
	$(GO) test ./providers/internal/mutate -run TestSuiteCatches -plant -v -timeout 60m

golden: ## write golden files and generated docs anew; read the diff before you commit it
	$(GO) test $(UPDATABLE) -update

examples: build ## check every example and run its jobs
	@for d in examples/*/; do \
		[ -f "$$d/swarmrun.yaml" ] || continue; echo "$$d"; \
		strict=--strict; [ "$$d" != examples/claude/ ] || strict=; # written for another program, with a repair to show \
		PATH="$$PWD/bin:$$PATH" swarmrun -C "$$d" validate $$strict || exit 1; \
		[ ! -d "$$d/jobs" ] || PATH="$$PWD/bin:$$PATH" swarmrun -C "$$d" ci || exit 1; \
	done

bench: ## measure what users feel, as ratios to a bare Go program
	$(GO) run ./internal/bench

bench-reload: ## measure reloading alone
	$(GO) run ./internal/bench -only reload

cover: ## run the tests with coverage, print the total
	$(GO) test -coverprofile=coverage.out -coverpkg=./... ./...
	@$(GO) tool cover -func=coverage.out | tail -n 1

budget: build ## check the size of the binary and what it does before main
	.ci/budget bin/swarmrun

cross: ## build for the other systems, and vet with their tests
	@for os in darwin windows; do echo "GOOS=$$os"; export CGO_ENABLED=0 GOOS=$$os; $(GO) build ./... && $(GO) vet ./... || exit 1; done

check: lint cross budget examples race ## what CI runs
