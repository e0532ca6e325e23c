#!/usr/bin/env bash
# Runs a plan on a coordinator by its HTTP API and ends with the run's exit code. Needs bash, curl and jq, no tutti.
#
#   deploy/ci/curl-jq.sh PLAN OUT_FOLDER [LABEL=VALUE...]
#
# OUT_FOLDER gets junit.xml, result.json, table.txt and run-id. The run is found again by its labels. If the job is killed,
# the run is cancelled.
#
#   COORDINATOR_URL   http://127.0.0.1:7118 if not set
#   IDEMPOTENCY_KEY   of this attempt of this job: whoever submits with it again gets the same run; made up if not set
#   RETRIES           of a call that did not reach the coordinator; 5, which is half a minute, if not set
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "usage: $0 PLAN OUT_FOLDER [LABEL=VALUE...]" >&2
  exit 2
fi
plan=$1
out=$2
shift 2
for label in "$@"; do
  if [[ $label != ?*=* ]]; then
    echo "$0: $label is no label: write LABEL=VALUE" >&2
    exit 2
  fi
done
if [ ! -r "$plan" ]; then
  echo "$0: $plan cannot be read" >&2
  exit 2
fi
mkdir -p "$out"

api=${COORDINATOR_URL:-http://127.0.0.1:7118}
api=${api%/}/v1
key=${IDEMPOTENCY_KEY:-$(cat /proc/sys/kernel/random/uuid)}
work=$(mktemp -d)
answer=$work/answer
run=""     # its id, once it is submitted
ended=""   # not empty: so has the run
stream=""  # the process that reads events

leave() {
  local code=$?
  trap - EXIT
  trap '' HUP INT TERM
  if [ -n "$stream" ]; then kill "$stream" 2>/dev/null || true; fi
  if [ -n "$run" ] && [ -z "$ended" ]; then
    echo "cancelling $run" >&2
    curl --silent --show-error --max-time 5 --output /dev/null --request POST "$api/runs/$run/cancel" || true
  fi
  rm -rf "$work"
  exit "$code"
}
trap leave EXIT
trap 'exit 8' HUP INT TERM

# call METHOD PATH [CURL_OPTION...]: the answer's body goes to $answer, its status to $status; 000: there was no answer.
# Every call may be made twice: a submission has its key, the others change nothing.
call() {
  local method=$1 path=$2
  shift 2
  : >"$answer"
  status=$(curl --silent --show-error --max-time 60 --connect-timeout 10 --retry "${RETRIES:-5}" --retry-all-errors \
    --request "$method" --output "$answer" --write-out '%{http_code}' "$@" "$api$path") || status=000
}

# Says why a call failed, and ends as `tutti` would.
give_up() {
  if [ "$status" = 000 ]; then
    echo "$1: no answer from $api" >&2
    exit 9
  fi
  echo "$1: HTTP status $status" >&2
  jq -r '.error | if (.details | length) > 0 then .details[] else .message end' "$answer" >&2 || true
  case $status in
    400 | 409) exit 3 ;;       # the plan is invalid, or the fleet cannot fill its roles
    401 | 403) exit 10 ;;      # refused
    408 | 429 | 5??) exit 9 ;; # not now
    *) exit 1 ;;
  esac
}

submit() {
  jq -n --rawfile plan "$plan" --arg name "$plan" --arg user "${USER:-ci}@$(uname -n)" '
    {plan: $plan, source_name: $name, user: $user,
     labels: ($ARGS.positional | map(split("=") | {key: .[0], value: (.[1:] | join("="))}) | from_entries)}
  ' --args "$@" >"$work/request"
  call POST /runs --header 'Content-Type: application/json' --header "Idempotency-Key: $key" \
    --data-binary "@$work/request"
  case $status in
    200 | 201) ;;
    *) give_up "submitting $plan" ;;
  esac
  run=$(jq -r .run_id "$answer")
  echo "$run" >"$out/run-id"
  echo "run $run" >&2
}

# One line for the events that a log should have.
readonly event_line='
  if .event == "queued" then "waits for \(.waits_for | join("; "))"
  elif .event == "started" then "starts: \(.cases | length) case(s) on \(.hosts | join(", "))"
  elif .event == "trial_ended" then
    "case \(.case_index + 1), trial \(.repetition): \(.status)" + (.reasons | map("\n  " + .) | join(""))
  elif .event == "ended" then "ended: \(.status), exit code \(.exit_code)" + (.reasons | map("\n  " + .) | join(""))
  else empty end'

seen=0  # number of the last event that was read whole

# Reads events behind $seen until the stream ends: with the run, or because the connection broke. A server that has nothing
# to tell sends a comment every few seconds; where even these are missing the connection is dead.
follow() {
  local line event="" data="" number=""
  rm -f "$work/events"
  mkfifo "$work/events"
  curl --silent --show-error --fail --no-buffer --connect-timeout 10 --speed-limit 1 --speed-time 60 \
    --header 'Accept: text/event-stream' --header "Last-Event-ID: $seen" "$api/runs/$run/events" >"$work/events" &
  stream=$!
  while IFS= read -r line; do
    case $line in
      "id: "*) number=${line#id: } ;;
      "event: "*) event=${line#event: } ;;
      "data: "*) data=${line#data: } ;;
      "")
        case $event in
          queued | started | trial_ended | ended) jq -r "$event_line" <<<"$data" >&2 || true ;;
        esac
        seen=${number:-$seen}
        event="" data="" number=""
        ;;
    esac
  done <"$work/events"
  wait "$stream" || true
  stream=""
}

# fetch FORMAT FILE
fetch() {
  call GET "/runs/$run/result?format=$1"
  if [ "$status" != 200 ]; then
    echo "no $2: HTTP status $status" >&2
    return 1
  fi
  cp "$answer" "$out/$2"
}

submit "$@"
while [ -z "$ended" ]; do
  follow
  # Whether the run has ended is asked, not concluded from the end of a connection.
  call GET "/runs/$run"
  if [ "$status" != 200 ]; then give_up "run $run"; fi
  if [ "$(jq -r .state "$answer")" = ended ]; then
    ended=yes
  else
    echo "the events broke off behind number $seen; reading on" >&2
    sleep 1
  fi
done
code=$(jq -r .summary.exit_code "$answer")
missing=""
fetch json result.json || missing=yes
fetch junit junit.xml || missing=yes
fetch table table.txt || missing=yes
if [ -e "$out/table.txt" ]; then cat "$out/table.txt"; fi
# A green job without its artefacts would be no proof of anything.
if [ "$code" -eq 0 ] && [ -n "$missing" ]; then code=1; fi
exit "$code"
