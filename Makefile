# Everything sets itself up: a machine needs Python >= 3.11, git and make.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help run test test-oldest test-newest slow check check-code check-documents format docs bench bench-full soak sheets audit sbom lock swagger-ui vendor clean

help:
	@echo "make run     start a service with a demo site, in ./landyard-data"
	@echo "make test    run the tests; make test P=core: those of the package core alone"
	@echo "make test-oldest, make test-newest  run the tests with the oldest and the newest libraries that pyproject.toml allows"
	@echo "make check   lint, types, boundaries between modules, generated docs, what documents tell people to run"
	@echo "make bench   measure against peers, in ten minutes (needs wrk)"
	@echo "make bench-full  the same, and what takes an hour: a million pages"
	@echo "make slow    the tests that take a second or more, for some twenty minutes; QUARTER=0 to 3: a quarter"
	@echo "make soak    the tests that take minutes"
	@echo "make sheets  photograph every template in every theme, into dist/sheets (needs Chromium)"
	@echo "make audit   look the pinned libraries up among the known vulnerabilities"
	@echo "make sbom    list what is shipped, in dist/landyard.cdx.json (CycloneDX)"
	@echo "make docs    write the reference, the picture of the packages, the snapshot of the wire"
	@echo "make lock    pin the newest versions that pyproject.toml allows"
	@echo "make vendor  bundle the JavaScript of others that the console uses (needs npm)"
	@echo "make swagger-ui VERSION=…  take another version of it for the explorer (needs npm)"

run: .venv/run
	@$(BIN)/landyard serve --demo

# What the tests take of npm: JavaScript clients, and what examines pages. Where there is no npm, or
# where it gets nothing, these tests are skipped.
TYPESCRIPT = tests/clients/typescript
EXAMINATION = tests/browser/examination
NPM = $(if $(shell command -v npm),$(TYPESCRIPT)/node_modules/.package-lock.json \
	$(EXAMINATION)/node_modules/.package-lock.json)

# The tests start hundreds of processes: what they import is compiled once, also where a machine's
# environment says otherwise. Their databases, some 600 MB, are in memory where there is a place.
TEMPORARY = $(shell test -w /dev/shm && echo /dev/shm || echo $${TMPDIR:-/tmp})

# P names packages whose tests alone are run: `make test P=core`. Those of contrib take more libraries.
CHOSEN = $(foreach name,$(P),$(or $(wildcard tests/kernel/$(name) tests/plugins/$(name) tests/contrib/$(name)), \
	$(error No tests of "$(name)" in tests/kernel, tests/plugins or tests/contrib)))
TESTED_IN = $(if $(P),$(if $(filter tests/contrib/%,$(CHOSEN)),.venv/dev,.venv/test),.venv/dev $(NPM))

test: $(TESTED_IN)
	PYTHONDONTWRITEBYTECODE= TMPDIR=$(TEMPORARY) $(BIN)/python -m pytest -n auto $(CHOSEN) $(ARGS)

# Those of contract, contrib and browsers take more libraries.
test-oldest test-newest: test-%: .venv/%/made
	PYTHONDONTWRITEBYTECODE= TMPDIR=$(TEMPORARY) .venv/$*/bin/python -m pytest -n auto $(or $(CHOSEN),tests/kernel tests/plugins) $(ARGS)

# Biome formats and lints our JavaScript; where there is no npm, it is passed over.
BIOME = node_modules/.bin/biome
JAVASCRIPT = $(if $(shell command -v npm),node_modules/.package-lock.json)

# What documents tell people to run is run, and what `plugins new` writes is looked at as all else is.
# So are clients that are generated of the API's description, and the example, installed as a wheel.
DOCUMENTS = tests/authors tests/clients tests/contrib/test_example.py tests/contract/test_cookbook.py tests/contract/test_docs.py tests/contract/test_howto.py tests/plugins/authoring tests/plugins/console/test_vendored.py tests/plugins/console/editor tests/plugins/console/operating

check: .venv/dev $(NPM) $(JAVASCRIPT)
	@$(MAKE) --no-print-directory --jobs 2 check-code check-documents

# One core looks at the code while others run what documents tell.
check-code:
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(if $(JAVASCRIPT),$(BIOME) check --error-on-warnings --reporter=summary,@echo "No npm: JavaScript is not looked at.")
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python docs/generate.py --check

check-documents:
	PYTHONDONTWRITEBYTECODE= TMPDIR=$(TEMPORARY) $(BIN)/python -m pytest -q -n auto -m lint $(DOCUMENTS)

format: .venv/dev $(JAVASCRIPT)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(if $(JAVASCRIPT),$(BIOME) check --write)

docs: .venv/dev
	$(BIN)/python docs/generate.py

bench: .venv/dev
	$(BIN)/python tests/bench/run.py $(ARGS)

bench-full: .venv/dev
	$(BIN)/python tests/bench/run.py --full $(ARGS)

# All of them, or a quarter: `make slow QUARTER=0`, and 1, 2, 3 (tests/quarters.py).
slow: .venv/dev $(NPM)
	PYTHONDONTWRITEBYTECODE= TMPDIR=$(TEMPORARY) $(BIN)/python -m pytest -n auto \
		-m "slow and not soak and not lint" $(addprefix --quarter=,$(QUARTER)) $(ARGS)

soak: .venv/dev
	$(BIN)/python -m pytest -m soak $(ARGS)

# A picture for each theme, width and scheme, to be looked at.
sheets: .venv/dev
	@mkdir -p dist
	$(BIN)/python -m pytest -q -n 0 -m soak tests/browser/test_themes.py -k contact_sheets \
		--basetemp dist/sheets $(ARGS)

# Strictly: a library that could not be looked up is no library without vulnerabilities.
audit: .venv/dev
	@$(BIN)/pip-audit --requirement requirements.lock --require-hashes --disable-pip --strict \
		--progress-spinner off $(ARGS) \
		|| { echo "Not clean: a library is vulnerable, or the advisories could not be had." \
			"See docs/security.md, Supply chain."; exit 1; }

SBOM = dist/landyard.cdx.json

# What is nobody's address stands for the index: which one a machine uses is no part of the list.
# The lock does not say what needs what, and the tool warns of that each time.
sbom: .venv/dev
	@mkdir -p $(dir $(SBOM))
	@$(BIN)/python -W ignore::UserWarning -m cyclonedx_py requirements --output-reproducible \
		--index-url pkg:pypi --short-PURLs --pyproject pyproject.toml \
		--output-file $(SBOM) requirements.lock
	@echo "$(SBOM)"

UV_COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links --upgrade

lock: .venv/dev
	$(UV_COMPILE) pyproject.toml --extra oauth --extra postgres --group build \
		--output-file requirements.lock
	$(UV_COMPILE) pyproject.toml --all-extras --group build --group test --group dev --group clients \
		--group bench --constraint requirements.lock --output-file requirements-dev.lock
	$(UV_COMPILE) --group test --constraint requirements-dev.lock --output-file requirements-test.lock

# Swagger UI for the explorer: the two files of npm's package that are used, packed.
SWAGGER = plugins/landyard_describe/explorer/swagger-ui

swagger-ui:
	@mkdir -p dist && cd dist && npm pack --silent swagger-ui-dist@$(VERSION) && \
		tar --extract --gzip --file swagger-ui-dist-$(VERSION).tgz
	gzip -9 --no-name --stdout dist/package/swagger-ui-bundle.js >$(SWAGGER)/swagger-ui.js.gz
	gzip -9 --no-name --stdout dist/package/swagger-ui.css >$(SWAGGER)/swagger-ui.css.gz
	cp dist/package/LICENSE dist/package/NOTICE $(SWAGGER)/
	echo $(VERSION) >$(SWAGGER)/VERSION

# What the console uses of others' JavaScript: bundled as its package-lock.json pins it.
VENDORING = plugins/landyard_console/vendoring

vendor:
	npm ci --prefix $(VENDORING) --ignore-scripts --no-audit --no-fund --loglevel=error
	node $(VENDORING)/bundle.mjs

clean:
	rm -rf .venv node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis dist

# Three stamps: what it takes to run, to test a package, and to develop. Each is quick when nothing
# changed. The build back end comes from the lock as well, so nothing is fetched unpinned. A lock names all
# that is needed: an installer does not look for more, and an extra (coverage[toml]) cannot make it take a
# newer one. Developers install with uv, in seconds; where uv reaches no index, pip does it.

.venv/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Landyard needs Python 3.11 or newer; try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/run: .venv/made requirements.lock pyproject.toml
	@echo "Setting up .venv: $$(grep -c == requirements.lock) packages, less than a minute ..."
	$(BIN)/python -m pip install --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

PINNED = --no-deps --require-hashes $(addprefix -r ,$(1))
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python $(PINNED) || $(PIP) $(PINNED)

# uv itself: its entry of the lock alone.
.venv/uv.lock: .venv/made requirements-test.lock
	@sed -n '/^uv==/,/[^\]$$/p' requirements-test.lock >.venv/uv.new
	$(PIP) --no-deps --require-hashes -r .venv/uv.new
	@mv .venv/uv.new $@

.venv/test: .venv/uv.lock requirements.lock requirements-test.lock pyproject.toml
	$(call INSTALL,requirements.lock requirements-test.lock)
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev: .venv/test requirements-dev.lock
	$(call INSTALL,requirements-dev.lock)
	@touch $@

# Environments inside of .venv, with libraries at their bounds; what runs the tests is the newest in both.
.venv/oldest/made: RESOLUTION = lowest-direct
.venv/newest/made: RESOLUTION = highest

.venv/oldest/made .venv/newest/made: .venv/%/made: .venv/uv.lock pyproject.toml
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv/$*
	$(BIN)/uv pip install --quiet --upgrade --python .venv/$*/bin/python --resolution $(RESOLUTION) \
		--editable ".[bucket,mcp,oauth,postgres,tracing]"
	$(BIN)/uv pip install --quiet --python .venv/$*/bin/python --group test
	@touch $@

node_modules/.package-lock.json: package-lock.json
	@npm ci --ignore-scripts --no-audit --no-fund --fetch-retries 1 --loglevel=error && touch $@

# Engines that a package does not know yet, and scripts of packages, are passed over.
%/node_modules/.package-lock.json: %/package-lock.json
	@npm ci --prefix $* --ignore-scripts --no-audit --no-fund --fetch-retries 1 --loglevel=error \
		&& touch $@ \
		|| echo "npm could not install what $* names: its tests are skipped."
