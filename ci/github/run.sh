#!/usr/bin/env bash
# Runs farmjank, which writes annotations and the job's summary by itself, and ends as it did.
# In: FARMJANK, MODE, PATHS, FLAGS, INSTALL, OLD, NEW, OUT, LAB_FAULT, UNDECIDED. Out: `exit-code`, `verdict`.
set -euo pipefail

stop() { # stop WORDS
  echo "::error title=farmjank::$1"
  printf 'exit-code=2\nverdict=refused\n' >>"$GITHUB_OUTPUT"
  exit 2
}

words=()
case $MODE in
  run)
    words+=(run)
    if [ -n "$INSTALL" ]; then words+=(--install "$INSTALL"); fi
    ;;
  ab)
    [ -n "$OLD" ] && [ -n "$NEW" ] || stop "mode ab needs the inputs old and new"
    words+=(ab)
    ;;
  merge) words+=(merge) ;;
  *) stop "the input mode is run, ab or merge" ;;
esac
# Quotes as in a shell, and nothing else of a shell: xargs expands no names, patterns or commands.
if [[ "$FLAGS" =~ [^[:space:]] ]]; then
  file=$RUNNER_TEMP/farmjank-flags
  printf '%s\n' "$FLAGS" | xargs printf '%s\0' >"$file" || stop "a quote in the input args has no end"
  while IFS= read -r -d '' word; do words+=("$word"); done <"$file"
fi
words+=(--out "$OUT" --overwrite --)
if [ "$MODE" = ab ]; then words+=("$OLD" "$NEW"); fi
while IFS= read -r path; do
  if [ -n "$path" ]; then words+=("$path"); fi
done <<<"$PATHS"

code=0 measures="" cancelled=""
# Who cancels a job leaves it ten seconds, told by SIGINT: the iteration under way is given up, and phones are set back. Waiting for its
# end, as a first Ctrl-C does, would take longer.
end() {
  if [ -n "$measures" ]; then kill -TERM "$measures" 2>/dev/null || true; fi
}
trap 'cancelled=yes; end' INT TERM
"$FARMJANK" "${words[@]}" &
measures=$!
if [ -n "$cancelled" ]; then end; fi
wait "$measures" || code=$?
# A signal ends the waiting, not the run.
while kill -0 "$measures" 2>/dev/null; do
  code=0
  wait "$measures" || code=$?
done
case $code in
  0) verdict=pass ;;
  1) verdict=fail ;;
  2) verdict=refused ;;
  3) verdict=broken ;;
  4) verdict=undecided ;;
  5) verdict=nothing ;;
  *) verdict=interrupted ;;
esac
printf 'exit-code=%s\nverdict=%s\n' "$code" "$verdict" >>"$GITHUB_OUTPUT"
if [ $code = 3 ] && [ "$LAB_FAULT" = pass ]; then
  echo "::warning title=farmjank::a fault of the lab: nothing is said of the app, and nothing fails for it"
  exit 0
fi
if [ $code = 4 ] && [ "$UNDECIDED" = pass ]; then
  echo "::warning title=farmjank::undecided: nothing is proved, and nothing fails for it"
  exit 0
fi
exit $code
