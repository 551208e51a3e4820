#!/usr/bin/env bash
# Runs once, when the database's volume is empty: the three roles with the passwords of the environment. What each may do
# is in schema/migrations.
set -euo pipefail

psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" \
    --set=owner="${TENURE_OWNER_PASSWORD:?}" --set=app="${TENURE_APP_PASSWORD:?}" \
    --set=reader="${TENURE_READER_PASSWORD:?}" --set=database="$POSTGRES_DB" <<'SQL'
CREATE ROLE tenure_owner LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'owner';
CREATE ROLE tenure_app LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'app';
CREATE ROLE tenure_reader LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'reader';
ALTER DATABASE :"database" OWNER TO tenure_owner;
SQL
