#!/usr/bin/env bash
# Like the image postgres: an empty folder gets the database and the user of POSTGRES_*, and the scripts are run there.
set -euo pipefail

readonly data=/var/lib/postgresql/data/pgdata
if [[ ! -e $data/PG_VERSION ]]; then
  initdb --pgdata="$data" --username="$POSTGRES_USER" --pwfile=<(echo "$POSTGRES_PASSWORD") --auth-host=scram-sha-256
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
  pg_ctl --pgdata="$data" --options='-c listen_addresses=' --wait start
  createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  for script in /docker-entrypoint-initdb.d/*.sql; do
    psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=ON_ERROR_STOP=1 --file="$script"
  done
  pg_ctl --pgdata="$data" --wait stop
fi
exec postgres -D "$data" -c listen_addresses='*'
