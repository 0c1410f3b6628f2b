#!/usr/bin/env bash
# Keeps the one comment on the pull request up to date. Whatever becomes of it fails nothing: the run has decided.
# In: FARMJANK, ENDED, OUT, KEY, PULL_REQUEST, COMMIT, GITHUB_TOKEN. Out: `url`.
set -euo pipefail

if [ -z "$FARMJANK" ] || [ -z "$ENDED" ]; then
  echo "::notice title=farmjank::there was no run, and so there is no comment"
  exit 0
fi
if [ -z "$GITHUB_TOKEN" ]; then
  echo "::notice title=farmjank::no comment: this job has no token, as that of a fork has none"
  exit 0
fi
code=0
"$FARMJANK" notify "$OUT" --to "pull-request:$GITHUB_REPOSITORY#$PULL_REQUEST" --key "$KEY" --commit "$COMMIT" \
  --ended "$ENDED" >"$RUNNER_TEMP/farmjank-told" 2>"$RUNNER_TEMP/farmjank-why" || code=$?
if [ $code = 0 ]; then
  cat "$RUNNER_TEMP/farmjank-told"
  # The last word of what is said is the address.
  url=$(tail -n 1 "$RUNNER_TEMP/farmjank-told" | grep -o 'https://[^ ]*$' || true)
  echo "url=$url" >>"$GITHUB_OUTPUT"
else
  # A line of it that looks like a command is none.
  sed 's/^ *::/: :/' "$RUNNER_TEMP/farmjank-why"
  echo "::notice title=farmjank::the comment is not up to date (exit $code); the log of this step says why"
fi
