#!/usr/bin/env bash
# Publishes a job, follows it to its end, and prints the loss of each step. Requires kcat and jq.
#
#   docs/clients/follow.sh job.json
#
#   TRAINYARD_KAFKA          the brokers, localhost:9092
#   TRAINYARD_TOPICS_PREFIX  the prefix of the topics, trainyard.
#   FOLLOW_SECONDS           the time limit, 3600
#
# Ends with 0 if the job has finished, with 1 if it has failed, was cancelled or is refused, with 2 if it is not published.
set -euo pipefail

job=${1:?a file with one job, which has an id}
prefix=${TRAINYARD_TOPICS_PREFIX:-trainyard.}
seconds=${FOLLOW_SECONDS:-3600}
kafka=(kcat -q -b "${TRAINYARD_KAFKA:-localhost:9092}")
id=$(jq -er .id "$job") || { echo "follow.sh: the job has no id" >&2; exit 2; }
since=$(($(date +%s%3N) - 60000)) # clocks differ

# Prints a topic's records since the start; reads them all each time, so none is missed.
#   records TOPIC FORMAT
records() { "${kafka[@]}" -C -e -t "$prefix$1" -o "s@$since" -f "$2"; }

# A line per event of the job, and the reason if it is dead-lettered.
events() {
  records jobs '%s\n' | jq -rR --arg id "$id" 'fromjson? | select(.job == $id) | "\(.type) \(.reason // "")"'
  records dead-letter '%k\trefused: %h\n' | awk -F '\t' -v id="$id" '$1 == id { print $2 }'
}

jq -c . "$job" | "${kafka[@]}" -P -t "${prefix}commands.normal" -k "$id" -X acks=all || exit 2

shown=0
end=""
while [[ -z $end ]]; do
  if ((SECONDS > seconds)); then
    echo "follow.sh: the job did not end within $seconds s" >&2
    exit 1
  fi
  sleep 0.5
  lines=()
  mapfile -t lines < <(events)
  for line in "${lines[@]:shown}"; do
    echo "$line"
    case ${line%%[: ]*} in finished | failed | cancelled | refused) end=${line%%[: ]*} ;; esac
  done
  shown=${#lines[@]}
done

# All losses are published before the end; for a step of two attempts the newer attempt counts.
records steps '%s\n' | jq -rRn --arg id "$id" '
  [inputs | fromjson? | select(.job == $id)] | sort_by(.attempt)
  | [.[] | . as $event | .losses | to_entries[] | {key: "\($event.firstStep + .key)", value}] | from_entries
  | to_entries | sort_by(.key | tonumber)[] | "step \(.key) loss \(.value)"'
echo "$id $end"
[[ $end == finished ]]
