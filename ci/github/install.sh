#!/usr/bin/env bash
# Finds farmjank: the binary that is named, the one that is downloaded by its checksum, or that of the path.
# In: BINARY, URL, SHA256. Out: `farmjank`, its path.
set -euo pipefail

stop() { # stop WORDS
  echo "::error title=farmjank::$1"
  exit 1
}
sum() { # sum FILE
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

if [ -n "$BINARY" ]; then
  farmjank=$BINARY
  [ -x "$farmjank" ] || stop "the input binary names no program"
elif [ -n "$URL" ]; then
  [[ "$SHA256" =~ ^[0-9a-f]{64}$ ]] || stop "the input sha256 has to be the checksum of what url names: 64 digits and letters a to f"
  folder=$RUNNER_TEMP/farmjank-$SHA256
  mkdir -p "$folder"
  # What a cache brings is held against the checksum, too.
  if [ ! -f "$folder/download" ] || [ "$(sum "$folder/download")" != "$SHA256" ]; then
    curl --fail --silent --show-error --location --retry 4 --max-time 300 --output "$folder/download" -- "$URL" ||
      stop "the input url cannot be downloaded"
    [ "$(sum "$folder/download")" = "$SHA256" ] || stop "what the input url names has another checksum than sha256"
  fi
  farmjank=$folder/farmjank
  if tar -tzf "$folder/download" >/dev/null 2>&1; then
    # An archive has one folder with the binary in it.
    tar -xzf "$folder/download" -C "$folder" --strip-components 1
  else
    cp "$folder/download" "$farmjank"
  fi
  [ -f "$farmjank" ] || stop "there is no farmjank in what the input url names"
  chmod +x "$farmjank"
else
  farmjank=$(command -v farmjank) || stop "there is no farmjank on the path: install one on the runner, or give the inputs url and sha256"
fi
# A name without a folder would be looked for on the path.
case $farmjank in /*) ;; *) farmjank=$PWD/$farmjank ;; esac
"$farmjank" --version
echo "farmjank=$farmjank" >>"$GITHUB_OUTPUT"
