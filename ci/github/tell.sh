#!/usr/bin/env bash
# Tells GitHub of the run: keeps the one comment up to date, makes the check run. Whatever becomes of it fails nothing: the run has
# decided. In: WHAT, TO, FARMJANK, ENDED, OUT, KEY, COMMIT, LAB_FAULT, UNDECIDED, GITHUB_TOKEN. Out: `url`.
set -euo pipefail

if [ -z "$FARMJANK" ] || [ -z "$ENDED" ]; then
  echo "::notice title=farmjank::there was no run, and so there is no $WHAT"
  exit 0
fi
if [ -z "$GITHUB_TOKEN" ]; then
  echo "::notice title=farmjank::no $WHAT: this job has no token, as that of a fork has none"
  exit 0
fi
# What fails no step holds up no pull request either.
neutral=()
[ "$LAB_FAULT" != pass ] || neutral+=(--neutral broken)
[ "$UNDECIDED" != pass ] || neutral+=(--neutral undecided)
code=0
"$FARMJANK" notify "$OUT" --to "$TO" --key "$KEY" --commit "$COMMIT" --ended "$ENDED" ${neutral[@]+"${neutral[@]}"} \
  >"$RUNNER_TEMP/farmjank-told" 2>"$RUNNER_TEMP/farmjank-why" || code=$?
if [ $code = 0 ]; then
  cat "$RUNNER_TEMP/farmjank-told"
  # The last word of what is said is the address.
  url=$(tail -n 1 "$RUNNER_TEMP/farmjank-told" | grep -o 'https://[^ ]*$' || true)
  echo "url=$url" >>"$GITHUB_OUTPUT"
else
  # A line of it that looks like a command is none.
  sed 's/^ *::/: :/' "$RUNNER_TEMP/farmjank-why"
  echo "::notice title=farmjank::the $WHAT is not up to date (exit $code); the log of this step says why"
fi
