// A step for pipelines, of a shared library: `farmjank(paths: 'scenarios', args: '--profile gate')`, on an agent with phones.
// `out`, a folder of the run's own, is `farmjank-out` unless given: what an older build left there goes first, or it would be shown
// as this one's where it comes to nothing. Undecided (4) is unstable; a breached limit (1), a fault of the lab (3) and a mistake (2) fail the build and say which it was.
def call(Map given = [:]) {
  // No `get` with a default: the sandbox that libraries of a folder run in refuses it.
  String out = given.get('out') ?: 'farmjank-out'
  int code = 0
  withEnv(["FARMJANK_PATHS=${given.get('paths') ?: 'scenarios'}", "FARMJANK_ARGS=${given.get('args') ?: ''}", "FARMJANK_TO=${out}"]) {
    // Words are words: no patterns, and nothing in them is run.
    code = sh(returnStatus: true, script: 'set -f; [ ! -e "$FARMJANK_TO/events.ndjson" ] || rm -rf "$FARMJANK_TO"; farmjank run $FARMJANK_ARGS --out "$FARMJANK_TO" --overwrite -- $FARMJANK_PATHS')
  }
  junit(testResults: "${out}/junit.xml", keepProperties: true, allowEmptyResults: true, skipMarkingBuildUnstable: true)
  archiveArtifacts(artifacts: "${out}/**", allowEmptyArchive: true)
  if (code == 4) {
    unstable('farmjank: undecided')
  } else if (code != 0) {
    Map why = [1: 'a limit was breached', 2: 'a mistake in flags or scenarios', 3: 'a fault of the lab', 5: 'nothing was selected']
    error("farmjank: exit ${code}, ${why.get(code) ?: 'interrupted'}")
  }
  return code
}
