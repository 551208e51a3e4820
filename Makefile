# Two commands matter to a newcomer: make run and make test. Everything here is a line or two; the work is in scripts/.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# A crash must not wait for a key press.
export SWIFT_BACKTRACE := interactive=no

# make run PORT=8081 STATE=/elsewhere
SECONDS ?= 600
SEED ?=
PORT ?= 8080
STATE ?= .tenure
CONFIGURATION ?= debug
# The C of the cryptography is optimised in debug builds too: unoptimised, stretching takes five times as long.
BUILD := swift build --configuration $(CONFIGURATION) -Xcc -O2 --product tenure
TENURE = "$$($(BUILD) --show-bin-path)/tenure"

.PHONY: help run test soak bench lint format migrate docs reference sanitize clean

help: ## This list
	@grep -hE '^[a-z]+: ## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+): ## (.*)/  make \1\t\2/'

run: ## Start the service with a private PostgreSQL and a demo app; Ctrl-C stops both
	@scripts/prerequisites run
	@echo "Building; the first time this takes some minutes." >&2
	@$(BUILD)
	@exec $(TENURE) serve --development --port "$(PORT)" --state-directory "$(STATE)"

test: ## Everything: lint, build, unit, integration, README, sanitizers
	@scripts/test

soak: ## A long randomised run with kills: make soak SECONDS=600 SEED=1
	@scripts/soak "$(SECONDS)" "$(SEED)"

bench: ## Measure, in a release build beside a PostgreSQL of its own
	@scripts/bench

lint: ## Formatting and shell scripts
	@scripts/lint

format: ## Format the Swift sources in place
	@swift format --in-place --parallel --recursive Package.swift Sources Tests Benchmarks schema

migrate: ## Bring the database of TENURE_OWNER_DATABASE_URL up to date
	@scripts/prerequisites build
	@$(BUILD)
	@$(TENURE) migrate

docs: ## Check that the links between the documents lead somewhere
	@scripts/check-links

reference: ## Build the client library's reference and tutorial with DocC
	@scripts/client-docs

sanitize: ## Postgres, Ledger, Credentials and Hogweed under the thread and the address sanitizer
	@scripts/sanitize

clean: ## Remove what was built; .tenure (the development database and its secrets) stays
	@rm -rf .build .build-tsan .build-asan .build-python .build-bench
