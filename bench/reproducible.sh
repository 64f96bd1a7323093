#!/usr/bin/env bash
# Checks that two builds of the last commit have the same bytes. docs/contributing/supply-chain.md lists the files that may differ, and why.
# Prints those that do, and fails where one is not among them. Takes three minutes.
#
#   bench/reproducible.sh [FOLDER]    FOLDER: where to build (default: a temporary one, which is removed)
set -euo pipefail

readonly may_differ=" quarkus/generated-bytecode.jar classes.jsa "
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root
if [[ $# == 0 ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
else
  mkdir -p "$1"
  folder=$(cd "$1" && pwd)
fi

# The files of the packaged application, with their hashes.
hashes() (cd "$1/target/quarkus-app" && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum)

# The names of an archive's entries.
entries() { unzip -Z -1 "$1/target/quarkus-app/$2"; }

for copy in first second; do
  echo "building the $copy copy of $(git -C "$root" log -1 --format='%h %s')"
  mkdir -p "$folder/$copy"
  git -C "$root" archive HEAD | tar -x -C "$folder/$copy"
  (cd "$folder/$copy" && ./mvnw --batch-mode --quiet -Dquick -Dcyclonedx.skip=false -Dmaven.test.skip=true \
    -Dtest.fake-cuda.skip=true package)
  hashes "$folder/$copy" >"$folder/$copy.hashes"
done

status=0
for file in $(diff "$folder/first.hashes" "$folder/second.hashes" | awk '/^[<>]/ {print $3}' | sort -u); do
  if [[ $may_differ != *" $file "* ]]; then
    status=1
    echo "differs: $file"
  elif [[ $file == *.jar ]] && ! diff <(entries "$folder/first" "$file") <(entries "$folder/second" "$file"); then
    status=1
    echo "differs in its entries: $file"
  else
    echo "differs, as it may: $file"
  fi
done
echo "$(wc -l <"$folder/first.hashes") files"
exit $status
