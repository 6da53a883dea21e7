# `make` alone lists the targets. Prerequisites of a target are built first, and only when out of date.

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.NOTPARALLEL:

BUF := node_modules/.bin/buf
# By its path: which of the two compilers is node_modules/.bin/tsc is up to npm.
TSC := node_modules/typescript-7/bin/tsc
PROTO_SOURCES := $(shell find protos/sheaf protos/google protos/grpc) protos/buf.yaml protos/buf.gen.yaml protos/patch-generated-code.js
CONSOLE_SOURCES := $(shell find gateway/console packages/client/src -type f -not -path '*/node_modules/*' -not -path '*/dist/*')

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | awk -F '|' '{ printf "%-24s %s\n", $$1, $$2 }'

.PHONY: setup
setup: ## install what is missing in node_modules
	@node scripts/setup.js

.PHONY: gen
gen: setup protos/gen/.made ## generate TypeScript from the protos

protos/gen/.made: $(PROTO_SOURCES) package-lock.json
	@npm run --silent gen --workspace @sheaf/protos
	@touch $@

.PHONY: build
build: gen gateway/console/dist/index.html ## compile what has changed
	@node $(TSC) -b
	@node services/document-data/dist/evaluator/make-runtime.js $(or $(SHEAF_CACHE),.cache) > /dev/null
	@node scripts/write-commit.js

gateway/console/dist/index.html: $(CONSOLE_SOURCES) package-lock.json
	@npm run --silent build --workspace @sheaf/console

.PHONY: run
run: build ## start Sheaf on this machine; ^C stops it. OTEL=1 shows slow requests, or sends traces to a collector; REPLICATED=1 keeps documents in PostgreSQL too, INSTANCES=3 starts document-data three times
	@exec env $(if $(OTEL),SHEAF_TRACES=$(OTEL)) $(if $(REPLICATED),SHEAF_REPLICATED=$(REPLICATED)) $(if $(INSTANCES),SHEAF_INSTANCES=$(INSTANCES)) node packages/standalone/dist/main.js

.PHONY: check
check: gen ## check protos, format, lint, types, import rules and dead code
	@node scripts/check.js

.PHONY: fix
fix: gen ## apply the automatic fixes of the formatter and the linter
	@node_modules/.bin/prettier --log-level=warn --write .
	@node_modules/.bin/eslint . --fix

.PHONY: test
test: build ## run all tests, the checks, and the unit tests on another Node; the last line has the counts
	@scripts/install-browser.sh
	@node scripts/test.js --check

.PHONY: soak
soak: build ## run the fault tests for longer: ROUNDS=50 of each fault, at most SECONDS=900 each
	@node scripts/soak.js $(or $(ROUNDS),50) $(or $(SECONDS),900)

.PHONY: bench
bench: build ## measure Sheaf beside a plain server; MODE=rows, MODE=documents, ARGS=…: see bench/README.md
	@node bench/dist/main.js --mode $(or $(MODE),compare) $(ARGS)

.PHONY: demo
demo: build ## load 34,000 cities into the running Sheaf
	@npm run --silent sheaf -- load tests/data/world-cities.csv

.PHONY: protos-baseline
protos-baseline: setup ## at a release: record the protos, with which later ones must be compatible
	@cd protos && ../$(BUF) build --exclude-source-info -o baseline.binpb
