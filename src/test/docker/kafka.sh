#!/usr/bin/env bash
# Like the image apache/kafka: KAFKA_LOG_DIRS is the broker's setting log.dirs, and an empty folder is formatted.
set -euo pipefail

readonly settings=/tmp/server.properties
env | sed -n 's/^KAFKA_\([A-Z_]*=\)/\1/p' | while IFS='=' read -r name value; do
  name=${name,,}
  echo "${name//_/.}=$value"
done >"$settings"
java=("$JAVA_HOME/bin/java" -Xmx512m -cp '/opt/kafka/libs/main/*:/opt/kafka/libs/boot/*')
"${java[@]}" kafka.tools.StorageTool format --ignore-formatted --cluster-id "$(printf '%022d' 1)" --config "$settings"
exec "${java[@]}" kafka.Kafka "$settings"
