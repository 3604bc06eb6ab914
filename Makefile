.DEFAULT_GOAL := help
.PHONY: help demo test lint fuzz promise breaches hostile bench profile audit sbom wheel docs sample incident screenshots clean setup setup-test

PYTHON ?= python3
BIN := .venv/bin
export PYTHON
# Tests start many programs: each would compile all that it imports once more.
unexport PYTHONDONTWRITEBYTECODE

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: setup  ## analyse the sample captures and say where the report is
	@$(BIN)/mqtrail analyze samples/*.pcap samples/incident/*.pcap --out out/demo --force

test: setup-test lint  ## lint, then run every test, in three processes
	@$(BIN)/pytest -q -n 3 --dist loadscope --no-loadscope-reorder

lint: setup-test  ## ruff, mypy, import-linter
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --num-workers 2
	@$(BIN)/lint-imports

fuzz: setup-test  ## a million cases by layers, goes on where it stopped; then 600,000 mutated stubs and 20,000 captures; an hour
	@$(BIN)/python -m tests.layered
	@$(BIN)/python -m tests.fuzz

promise: setup-test  ## every rule without any one packet, talks of unruly and of conforming parties without many; 25 minutes
	@$(BIN)/pytest -q tests/pipelines/rules/test_promise.py --every-packet
	@$(BIN)/python -m tests.pipelines.rules.unruly_talks_main --seed 1000 --minutes 10
	@$(BIN)/python -m tests.conforming --seed 1000 --minutes 10

breaches: setup-test  ## each rule broken on purpose: how often planted, found, undecidable and why, missed
	@$(BIN)/python -m tests.conforming.planted --times 20

soak: setup-test  ## kill workers and drivers, fill disks, change captures, five gigabytes in one conversation; hours
	@$(BIN)/python -m soak

hostile: setup-test  ## captures made to be expensive, each at three sizes: seconds and memory as a table; half an hour
	@$(BIN)/python -m tests.hostile

bench: setup-test  ## whole runs beside a bare Spark session and tshark, then their parts beside dpkt and impacket
	@$(BIN)/python -m bench.whole
	@$(BIN)/python -m bench

profile: setup-test  ## a whole run by stage, as tables and flame graphs in out/profile; CAPTURE=FILE for one of your own
	@$(BIN)/python -m bench.profile $(CAPTURE)

audit: setup  ## known vulnerabilities of the pinned versions; SNAPSHOT=FILE asks OSV's all.zip and no network
	@scripts/audit

sbom: setup-test  ## bill of materials (CycloneDX) of the pinned packages: out/mqtrail.cdx.json
	@$(BIN)/python -m scripts.sbom out/mqtrail.cdx.json

wheel: setup-test  ## the wheel, in dist; the same bytes from the same files
	@$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --no-index --wheel-dir dist .
	@cd dist && sha256sum mqtrail-*.whl

docs: setup  ## write the reference pages from the declarations
	@$(BIN)/python -m schemas.write_pages docs/reference
	@$(BIN)/python -m schemas.exports.write_page docs/exports.md
	@$(BIN)/python -m pipelines.rules.write_pages docs/reference
	@$(BIN)/python -m pipelines.cli.reference docs/reference

sample: setup-test  ## record the sample capture again (root, loopback traffic only)
	@$(BIN)/python -m samples.make_sample

incident: setup-test  ## play the captures of the walk-through from their scripts
	@$(BIN)/python -m tests.scripts samples/incident/orders.calls samples/incident/orders.pcap
	@$(BIN)/python -m tests.scripts samples/script/invoices.calls samples/script/invoices.pcap

screenshots: setup-test  ## pictures of the report, in out/screenshots
	@$(BIN)/python -m tests.report.screenshots out/screenshots

clean:  ## remove what the other targets made
	rm -rf .venv .venv-airflow .venv-audit out build dist bench/data .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

setup:
	@scripts/setup

setup-test:
	@scripts/setup test
