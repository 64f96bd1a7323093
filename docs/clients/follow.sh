#!/usr/bin/env bash
# Publishes a job, follows it to its end, and prints the loss of each of its steps, with kcat and jq.
#
#   docs/clients/follow.sh job.json
#
#   TRAINYARD_KAFKA          the brokers, localhost:9092
#   TRAINYARD_TOPICS_PREFIX  what the topics' names begin with, trainyard.
#   FOLLOW_SECONDS           how long it may take, 3600
#
# Ends with 0 if the job has finished, with 1 if it has failed, was cancelled or is refused, with 2 if it is not published.
set -euo pipefail

job=${1:?a file with one job, which has an id}
prefix=${TRAINYARD_TOPICS_PREFIX:-trainyard.}
seconds=${FOLLOW_SECONDS:-3600}
kafka=(kcat -q -b "${TRAINYARD_KAFKA:-localhost:9092}")
id=$(jq -er .id "$job") || { echo "follow.sh: the job has no id" >&2; exit 2; }
since=$(($(date +%s%3N) - 60000)) # clocks differ

# Reads two topics at once, a line each: the topic, the key, the headers, the body if it is one line of JSON.
watch() {
  trap 'kill $(jobs -p) 2>/dev/null' EXIT TERM
  "${kafka[@]}" -C -u -t "${prefix}jobs" -o "s@$since" -f 'told\t%k\t%s\n' &
  "${kafka[@]}" -C -u -t "${prefix}dead-letter" -o "s@$since" -f 'refused\t%k\t%h\n' &
  wait
}

jq -c . "$job" | "${kafka[@]}" -P -t "${prefix}commands.normal" -k "$id" -X acks=all || exit 2

exec {news}< <(watch)
watching=$!
trap 'kill $watching 2>/dev/null' EXIT
end=""
deadline=$(($(date +%s) + seconds))
while [[ -z $end ]]; do
  if ! IFS=$'\t' read -r -t $((deadline - $(date +%s) > 0 ? deadline - $(date +%s) : 1)) -u "$news" kind key text; then
    echo "follow.sh: no end was told within $seconds s" >&2
    exit 1
  fi
  [[ ${key%%/*} == "$id" ]] || continue
  if [[ $kind == refused ]]; then
    echo "refused: $text"
    end=refused
  else
    type=$(jq -r .type <<<"$text")
    echo "$type $(jq -r '.reason // empty' <<<"$text")"
    case $type in finished | failed | cancelled) end=$type ;; esac
  fi
done

# By now all losses are on their topic; a step that two attempts tell counts as the newer tells it.
"${kafka[@]}" -C -t "${prefix}steps" -o "s@$since" -e -f '%s\n' |
  jq -rs --arg id "$id" '
    [.[] | select(.job == $id)] | sort_by(.attempt)
    | [.[] | . as $event | .losses | to_entries[] | {key: "\($event.firstStep + .key)", value}] | from_entries
    | to_entries | sort_by(.key | tonumber)[] | "step \(.key) loss \(.value)"'
echo "$id $end"
[[ $end == finished ]]
