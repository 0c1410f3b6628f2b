//! What scripts see, what they cannot reach, and where they are stopped.

use super::*;

const WORLD: World = World { seed: 7, now_ms: 1_700_000_000_000.0 };

fn scripts() -> Scripts {
    Scripts::new(WORLD).expect("an engine")
}

fn none() -> BTreeMap<String, String> {
    BTreeMap::new()
}

#[test]
fn output_passes_values_from_script_to_expression() {
    let scripts = scripts();
    let variables = BTreeMap::from([("USER".to_owned(), "mei".to_owned())]);
    let said = scripts
        .run("const n = json('{\"a\": [3]}').a[0]; output.name = USER + n; console.log('n', n)", &variables);
    assert_eq!(said.as_deref(), Ok(&["n 3".to_owned()][..]));
    assert_eq!(scripts.evaluate("output.name", &none()).as_deref(), Ok("mei3"));
    assert_eq!(scripts.run("const n = 1; output.n = n + 1", &none()), Ok(vec![]), "a scope of its own");
    assert_eq!(scripts.evaluate("output.n == 2 && USER != 'x'", &none()).as_deref(), Ok("true"));
    assert_eq!(scripts.evaluate("output.nothing", &none()).as_deref(), Ok("undefined"));
    scripts.copied("42 items").expect("copied");
    assert_eq!(scripts.evaluate("maestro.copiedText.split(' ')[0] * 2", &none()).as_deref(), Ok("84"));
}

#[test]
fn nothing_of_the_world_is_in_reach() {
    let scripts = scripts();
    let threw = |source: &str| scripts.evaluate(source, &none()).unwrap_err().to_string();
    assert!(threw("http.get('http://x')").contains("reach no network"), "{}", threw("http.get('http://x')"));
    for name in ["require", "process", "std", "os", "import.meta", "Deno", "XMLHttpRequest"] {
        assert!(threw(name).contains("Error"), "{name}");
    }
    assert!(threw("import('fs').then(x => x); y").contains("y"));
    assert_eq!(
        scripts.evaluate("typeof told + typeof farmjank", &none()).as_deref(),
        Ok("undefinedundefined")
    );
}

#[test]
fn clock_and_chance_are_those_handed_in() {
    let draw =
        |seed| Scripts::new(World { seed, ..WORLD }).and_then(|own| own.evaluate("Math.random()", &none()));
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
    let scripts = scripts();
    assert_eq!(
        scripts.evaluate("new Date().toISOString()", &none()).as_deref(),
        Ok("2023-11-14T22:13:20.000Z")
    );
    scripts.tick(0.0).expect("ticked");
    assert_eq!(scripts.evaluate("Date.now() + new Date(5).getTime()", &none()).as_deref(), Ok("5"));
}

#[test]
fn loops_memory_and_depth_are_bounded_and_the_engine_goes_on() {
    let scripts = scripts();
    assert_eq!(scripts.evaluate("for (;;) {}", &none()), Err(ScriptError::Endless));
    assert_eq!(scripts.evaluate("try { for (;;) {} } catch (e) { 1 }", &none()), Err(ScriptError::Endless));
    let grown = scripts.evaluate("let a = 'x'; for (;;) a += a; a", &none());
    assert!(matches!(grown, Err(ScriptError::Memory(_) | ScriptError::Threw(_))), "{grown:?}");
    let deep = scripts.evaluate("(function f() { return f() + 1 })()", &none()).unwrap_err().to_string();
    assert!(deep.contains("stack"), "{deep}");
    assert_eq!(scripts.evaluate("'x'.repeat(100000)", &none()), Err(ScriptError::Value(VALUE)));
    assert_eq!(scripts.evaluate("1 + 1", &none()).as_deref(), Ok("2"));
}

#[test]
fn a_script_is_checked_without_running() {
    let checker = Checker::default();
    assert_eq!(checker.check("for (;;) {} http.get('x')"), Ok(()));
    assert!(checker.check("output.x = = 2").unwrap_err().to_string().contains("SyntaxError"));
}
