#!/usr/bin/env bash
# Whether a broker answers the request ApiVersions of version 0: kafka-broker-api-versions.sh --bootstrap-server HOST:PORT
set -euo pipefail

exec 3<>"/dev/tcp/${2/:/\/}"
printf '\0\0\0\012\0\022\0\0\0\0\0\1\377\377' >&3 # length, key, version, correlation, no client id
[[ $(head --bytes=8 <&3 | tail --bytes=1 | od -An -t u1) -eq 1 ]]
