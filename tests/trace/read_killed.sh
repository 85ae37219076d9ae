#!/usr/bin/env bash
# read_killed.sh CAROM SCENE READER...: ends a run with kill -9 and lets READER RUN.h5 RUN.csv compare what it finds in
# the recording with what carom itself finds there. Exit status 77: skipped, something is not installed.
set -euo pipefail
carom=$1 scene=$2
shift 2
command -v "$1" >/dev/null || { echo "skipped: $1 is not installed"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$carom" run "$scene" --quiet --no-svg -o "$folder/run.h5" --set duration_s=100000 --set record.every_s=0.01 &
run=$!

# some checkpoints must be in the file
lines=0
for _ in $(seq 200); do
    lines=$("$carom" export "$folder/run.h5" --to csv -o - 2>/dev/null | wc -l) || true
    [ "$lines" -lt 300 ] || break
    sleep 0.05
done
kill -9 "$run"
wait "$run" || true
[ "$lines" -ge 300 ] || { echo "the run recorded nothing"; exit 1; }

"$carom" export "$folder/run.h5" --to csv -o "$folder/run.csv"
"$@" "$folder/run.h5" "$folder/run.csv"
