# Two commands matter to a newcomer: make run and make test. Everything here is a line or two; the work is in scripts/.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# A crash must not wait for a key press.
export SWIFT_BACKTRACE := interactive=no

# The D-TAs take the two ports after PORT: make run PORT=8090 STATE=/elsewhere
SECONDS ?= 600
SEED ?=
CITUS_SOURCE ?=
PORT ?= 8080
STATE ?= .tenure
# Seconds that a recovery waits; without it as long as the company's policy says.
RECOVERY_DELAY ?=
CONFIGURATION ?= debug
# make install PREFIX=$HOME/.local DESTDIR=/tmp/package
PREFIX ?= /usr/local
DESTDIR ?=
# A built program to install, instead of building one.
PROGRAM ?=
# A development service listens on loopback, so it is built without TLS, which takes a third of the time less.
# Debug builds optimise the cryptography's C code too, because key stretching takes five times as long otherwise. The
# README's calls are tested with BUILD_OPTIONS from scripts/test-options, so that nothing is built twice.
BUILD_OPTIONS ?= --configuration $(CONFIGURATION) -Xcc -O2 --disable-default-traits
BUILD := swift build $(BUILD_OPTIONS) --product tenure
TENURE = "$$($(BUILD) --show-bin-path)/tenure"

.PHONY: help run reset test quick test-versions test-peers test-citus soak bench lint format migrate docs reference sanitize memcheck install clean

help: ## Print this list
	@grep -hE '^[a-z-]+: ## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+): ## (.*)/  make \1\t\2/'

run: ## Start the service with a private PostgreSQL, a demo app and two D-TAs; Ctrl-C stops all
	@scripts/prerequisites run
	@echo "Building; the first time this takes some minutes." >&2
	@$(BUILD)
	@exec $(TENURE) serve --development --port "$(PORT)" --state-directory "$(STATE)" $(if $(RECOVERY_DELAY),--recovery-delay "$(RECOVERY_DELAY)")

reset: ## Delete the development database, its keys and the demo app; asks first, make reset YES=1 does not
	@scripts/reset $(if $(YES),--yes) "$(STATE)"

test: ## Run lint, one build, unit and integration tests, allocation limits and the README's calls
	@scripts/test

quick: ## Build the targets that need no server for debugging, and run their tests
	@scripts/test quick

test-versions: ## Run the service with each PostgreSQL that can be had, and print a table; TESTS=1 runs the scenarios too
	@scripts/test-versions $(if $(TESTS),--tests)

test-peers: ## Let a browser walk the pages, clients log in, and schemathesis try what openapi.yaml permits and forbids
	@scripts/test-peers

test-citus: ## Run the log, the scenarios and a drill on a Citus cluster: make test-citus CITUS_SOURCE=DIR
	@scripts/test-citus "$(CITUS_SOURCE)"

soak: ## Run a long randomised test with kills, after changes of appender or pool: make soak SECONDS=600 SEED=1
	@scripts/soak "$(SECONDS)" "$(SEED)"

bench: ## Run the benchmarks with a release build and a private PostgreSQL
	@scripts/bench

lint: ## Check formatting and shell scripts
	@scripts/lint

format: ## Format the Swift sources in place
	@swift format --in-place --parallel --recursive Package.swift Sources Tests Benchmarks Examples schema

migrate: ## Bring the database of TENURE_OWNER_DATABASE_URL up to date
	@scripts/prerequisites build
	@$(BUILD)
	@$(TENURE) migrate

docs: ## Check the links between the documents
	@scripts/check-links

reference: ## Build the references of TenureClient, Ledger and Postgres with DocC
	@scripts/reference

sanitize: ## Run the thread and address sanitizers, after changes of C code, appender or pool
	@scripts/sanitize

memcheck: ## Check that no branch and no address depends on a secret of M-Pin, after changes of its cryptography
	@scripts/memcheck-mpin

install: ## Build tenure for release and install it with its systemd unit: make install PREFIX=/usr/local
	@scripts/install "$(PREFIX)" "$(DESTDIR)" "$(PROGRAM)"

clean: ## Remove the builds; .tenure (the development database and its secrets) stays, see make reset
	@rm -rf .build .build-tsan .build-asan .build-python .build-bench .build-memcheck .build-quick
