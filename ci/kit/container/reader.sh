#!/bin/sh
# Run once, as PostgreSQL's image makes the database: a user for dashboards that may read and nothing else.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$GRAFANA_DB_PASSWORD" --username "$POSTGRES_USER" --dbname "${POSTGRES_DB:-$POSTGRES_USER}" <<'SQL'
create role grafana login password :'password';
grant pg_read_all_data to grafana;
SQL
