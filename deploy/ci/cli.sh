#!/usr/bin/env bash
# Runs a plan on a coordinator with `tutti`, says what the exit code means for the build, and ends with it.
#
#   deploy/ci/cli.sh PLAN OUT_FOLDER [LABEL=VALUE...]
#
# OUT_FOLDER gets junit.xml, result.json, table.txt, run-id and verdict. The run is found again by its labels. If the job is
# killed, the run is cancelled. The coordinator is that of $TUTTI_COORDINATOR or of a configuration file; one on another host
# that speaks plain text needs `insecure: true` there (docs/configuration.md).
#
#   IDEMPOTENCY_KEY   of this attempt of this job: whoever submits with it again gets the same run
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "usage: $0 PLAN OUT_FOLDER [LABEL=VALUE...]" >&2
  exit 2
fi
plan=$1
out=$2
shift 2
options=()
for label in "$@"; do options+=(--label "$label"); done
if [ -n "${IDEMPOTENCY_KEY:-}" ]; then options+=(--idempotency-key "$IDEMPOTENCY_KEY"); fi
mkdir -p "$out"

run=""
leave() {
  local code=$?
  trap - EXIT
  trap '' HUP INT TERM
  if [ -n "$run" ]; then
    echo "cancelling $run" >&2
    tutti cancel "$run" >&2 || true
    wait || true
  fi
  exit "$code"
}
trap leave EXIT
trap 'exit 8' HUP INT TERM

# Submitting and following apart: the id is there before anything can go wrong, and what ends the following does not end the
# run.
run=$(tutti run "$plan" --detach ${options[@]+"${options[@]}"})
echo "$run" >"$out/run-id"
echo "run $run" >&2

# In the background, since bash looks at signals while it waits and not while a program has the foreground.
tutti attach "$run" --quiet --json "$out/result.json" >"$out/table.txt" &
code=0
wait $! || code=$?
run=""
cat "$out/table.txt"
if [ -s "$out/result.json" ]; then
  # Ends with the run's exit code as well.
  tutti show "$out/result.json" --format junit >"$out/junit.xml" || [ $? -eq "$code" ]
fi

case $code in
  0) verdict="passed" ;;
  4 | 5) verdict="failed: the build does not carry what the plan demands" ;;
  3) verdict="broken: the plan is invalid, or the fleet has not the hosts that it needs" ;;
  6 | 7 | 11) verdict="undecided: what was measured cannot be trusted; try again, and look at the hosts" ;;
  8) verdict="cancelled" ;;
  9 | 10) verdict="undecided: the coordinator was not reached, or refused" ;;
  *) verdict="broken: tutti ended with $code" ;;
esac
echo "$verdict" | tee "$out/verdict"
exit "$code"
