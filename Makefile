# Works from a bare machine with an emptied environment: Go, Node with npm, make and git are all it expects.
export PATH := $(PATH):/usr/local/go/bin:/usr/lib/go/bin:/opt/go/bin:/usr/local/bin:/usr/local/node/bin:/opt/node/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin
export HOME := $(shell scripts/home.sh)
# Tests, builds and the linter share what is compiled; the race detector alone needs C, and says so itself.
export GOFLAGS := -trimpath -buildvcs=false $(filter-out -trimpath -buildvcs=%,$(GOFLAGS))
export CGO_ENABLED := 0
SHELL := /bin/sh

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.DEFAULT_GOAL := help
.PHONY: help run build package test race bench soak lint fmt generate ui e2e module check

help: ## Show these sentences.
	@scripts/help.sh $(MAKEFILE_LIST)

run: ## Bring up panel, database, license server, agent and an example flow, and fetch a page through it.
	@echo "Panel: bringing everything up in .run; the first time takes some minutes"
	@scripts/need.sh postgresql
	@go build -o .run/bin/panel-up ./cmd/panel-up
	@exec .run/bin/panel-up "$(VERSION)"

build: ui ## Build all executables into .run/bin.
	@scripts/build.sh "$(VERSION)" .run/bin

package: ui ## Build the Debian packages of panel and agent into .run/dist; ARCH=arm64 for another processor.
	@scripts/package.sh "$(VERSION)" .run/dist

ui: ## Build the web interface, if its sources changed.
	@scripts/ui.sh

test: ## Run every test: Go, raced where goroutines are, web interface, browser journeys; about an hour on two cores.
	@scripts/test.sh

race: ## Run with the race detector what "make test" runs without it.
	@scripts/test.sh race

e2e: ui ## Run the browser journeys against real executables, database and agent.
	@scripts/e2e.sh

bench: ui ## Measure every speed goal against its physical limit in the same run; ONLY=P3,P4 measures some.
	@scripts/need.sh postgresql chromium
	@go build -o .run/bin/panel-bench ./cmd/panel-bench
	@CHROMIUM="$$(scripts/chromium.sh)" exec .run/bin/panel-bench $(if $(ONLY),--only $(ONLY))

soak: ## Run the long tests: fuzzing, kills, leaks; hours.
	@scripts/soak.sh

lint: ## Check the style of Go and TypeScript.
	@scripts/lint.sh

fmt: ## Format Go and TypeScript.
	@scripts/fmt.sh

generate: ## Refresh every generated file: API description, keys, schema, reference.
	@scripts/generate.sh

module: ## Write a new module that passes every contract test: make module NAME=x.
	@scripts/module.sh "$(NAME)"

check: ## Run what continuous integration runs.
	@.ci/run
