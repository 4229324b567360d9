#!/bin/sh
# Records the state of a release for the tests in e2e/upgrade: record-release.sh COMMIT
# It runs the executables of that commit in a tree of their own, with an operator's usual work, and keeps the database,
# the data folders of panel and agent, and what an agent sent. It needs pg_dump of PostgreSQL beside its server.
set -eu
cd "$(dirname "$0")/.."
commit="${1:?name the commit of the release}"
testdata="$PWD/e2e/upgrade/testdata"
work="$(mktemp -d)"
trap 'git worktree remove --force "$work/tree"; rm -rf "$work"' EXIT
git worktree add --detach "$work/tree" "$commit"
mkdir -p "$work/tree/e2e/record" "$work/state"
cp "$testdata/record_test.go.txt" "$work/tree/e2e/record/record_test.go"
bin="${PANEL_PG_BIN:-$(scripts/pgbin.sh)}"
(cd "$work/tree" && PANEL_RECORD_TO="$work/state" PANEL_RECORD_PG_DUMP="$bin/pg_dump" \
	go test ./e2e/record -run TestRecord -count=1 -v)
rm -rf "$work/state/data/logs"
cp "$work/state/release.json" "$testdata/"
grep -v '^\\' "$work/state/database.sql" | gzip -9n > "$testdata/database.sql.gz" # no commands of psql
for folder in data agent; do
	tar -C "$work/state" --sort=name --owner=0 --group=0 --numeric-owner -c "$folder" | gzip -9n > "$testdata/$folder.tar.gz"
done
