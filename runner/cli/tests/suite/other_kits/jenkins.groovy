// Stand-ins for Jenkins' steps: runs the step and the Jenkinsfile named on the command line, and prints what became of builds.
import org.codehaus.groovy.control.CompilerConfiguration

class Stopped extends Exception { Stopped(String why) { super(why) } }

abstract class Build extends Script {
  static final Map KNOWN = [
    sh: ['returnStatus', 'script'],
    junit: ['testResults', 'keepProperties', 'allowEmptyResults', 'skipMarkingBuildUnstable'],
    archiveArtifacts: ['artifacts', 'allowEmptyArchive'],
    timeout: ['time', 'unit'],
  ]
  static final Map WITHIN = [pipeline: null, agent: 'pipeline', options: 'pipeline', stages: 'pipeline', post: 'pipeline',
    stage: 'stages', steps: 'stage', script: 'steps', always: 'post']
  static List<String> blocks, published
  static Map<String, String> variables
  static String result, why, fake

  static void begin(String program) {
    (blocks, published, variables, result, why, fake) = [[], [], [:], 'SUCCESS', '', program]
  }

  private static void known(String step, Map given) {
    assert KNOWN[step].containsAll(given.keySet()) : "${step} of Jenkins has no ${given.keySet() - KNOWN[step]}"
  }

  private static void block(String name, Closure body) {
    assert WITHIN[name] == (blocks ? blocks.last() : null) : "${name} stands in ${blocks}"
    blocks.add(name)
    try { body() } finally { blocks.remove(blocks.size() - 1) }
  }

  // Scripted steps.
  int sh(Map given) {
    known('sh', given)
    assert given.returnStatus : 'without it an exit that is not 0 ends the build'
    def shell = new ProcessBuilder('sh', '-xe', '-c', given.script.toString()).redirectErrorStream(true)
    shell.environment().putAll(variables)
    if (fake) { shell.environment().PATH = "${fake}:${shell.environment().PATH}".toString() }
    def ran = shell.start()
    ran.outputStream.close()
    ran.inputStream.eachLine { println "| ${it}" }
    return ran.waitFor()
  }
  void withEnv(List<?> set, Closure body) {
    Map before = new HashMap(variables)
    set.each { String one = it.toString(); int at = one.indexOf('='); variables[one.substring(0, at)] = one.substring(at + 1) }
    try { body() } finally { variables = before }
  }
  void junit(Map given) {
    known('junit', given)
    assert given.allowEmptyResults && given.keepProperties
    assert new File(given.testResults.toString()).isFile()
    published << 'junit'
  }
  void archiveArtifacts(Map given) {
    known('archiveArtifacts', given)
    assert given.allowEmptyArchive && given.artifacts.endsWith('/**')
    assert new File(given.artifacts - '/**').list()
    published << 'files'
  }
  void unstable(String said) { result = 'UNSTABLE'; why = said }
  void error(String said) { throw new Stopped(said) }

  // Blocks of a declarative file.
  void pipeline(Closure body) { block('pipeline', body) }
  void agent(Closure body) { block('agent', body) }
  void label(String name) { assert blocks.last() == 'agent' && name }
  void options(Closure body) { block('options', body) }
  void timeout(Map given) { known('timeout', given); assert blocks.last() == 'options' && given.unit == 'MINUTES' }
  void stages(Closure body) {
    try { block('stages', body) } catch (Stopped stopped) { (result, why) = ['FAILURE', stopped.message] }
  }
  void stage(String name, Closure body) { block('stage', body) }
  void steps(Closure body) { block('steps', body) }
  void script(Closure body) { block('script', body) }
  void post(Closure body) { block('post', body) }
  void always(Closure body) { block('always', body) }

  static String ended() {
    assert published == ['junit', 'files']
    return "${result} ${why ? why + ' ' : ''}published"
  }
}

def form = new CompilerConfiguration(scriptBaseClass: Build.name)
def shell = new GroovyShell(getClass().classLoader, new Binding(), form)
def step = shell.parse(new File(args[0]))
def file = shell.parse(new File(args[1]))
def place = new File('.').canonicalFile
def stub = new File(place, 'stub/farmjank')
stub.parentFile.mkdirs()
stub.text = """#!/bin/sh
printf '%s|' "\$@" > told
while [ "\$1" != --out ]; do shift; done
mkdir -p "\$2"; echo '<testsuites/>' > "\$2/junit.xml"
exit \$CODE
"""
stub.executable = true

def build = { String stubbed, Map<String, String> set, Closure body ->
  Build.begin(stubbed)
  Build.variables.putAll(set)
  try { body() } catch (Stopped stopped) { Build.result = 'FAILURE'; Build.why = stopped.message }
  return Build.ended()
}
def codes = [0, 1, 2, 3, 4, 5, 130]
codes.each { code -> println "step ${code} " + build(stub.parent, [CODE: "$code".toString()], { step.call() }) }
codes.each { code -> println "file ${code} " + build(stub.parent, [CODE: "$code".toString()], { file.run() }) }
def hostile = [args: '--label note=$(touch pwned) *', paths: 'a;b $HOME', out: "o u't"]
build(stub.parent, [CODE: '0'], { step.call(hostile) })
println 'told ' + new File('told').text
build(stub.parent, [CODE: '0'], { step.call() })
println 'untold ' + new File('told').text
['farmjank-out', 'out'].each { new File(it).deleteDir() }
println 'lab step ' + build(null, [:], { step.call() })
println 'lab file ' + build(null, [:], { file.run() })
