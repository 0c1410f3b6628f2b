//! JavaScript of flows: `${…}` expressions, `evalScript` and `runScript`, evaluated by QuickJS within bounds.
//!
//! A script sees its variables, `output`, `maestro.copiedText`, `json(…)` and `console`, and nothing of the world: no
//! file, no network, no clock and no chance but those it is handed. Bounded in memory, stack and instructions, by
//! counting, so that a run repeats. Must not know scenarios or phones.
//!
//! ```
//! use farmjank_script::{Scripts, World};
//! use std::collections::BTreeMap;
//!
//! let scripts = Scripts::new(World { seed: 7, now_ms: 0.0 }).unwrap();
//! let variables = BTreeMap::from([("USER".to_owned(), "mei".to_owned())]);
//! scripts.run("output.mail = USER + '@example.com'", &variables).unwrap();
//! assert_eq!(scripts.evaluate("output.mail", &variables).unwrap(), "mei@example.com");
//! assert!(scripts.evaluate("http.get('https://x')", &variables).is_err());
//! ```

mod script_error;

pub use script_error::ScriptError;

use rquickjs::context::EvalOptions;
use rquickjs::{CatchResultExt, CaughtError, Context, Ctx, Function, Object, Persistent, Runtime};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Most memory the scripts of a trial hold, bytes.
const MEMORY: usize = 32 << 20;
/// Deepest stack, bytes: below what the smallest of our threads has.
const STACK: usize = 256 << 10;
/// Looks of the engine whether it should stop, each some ten thousand instructions: about two seconds.
const LOOKS: u32 = 20_000;
/// Lines that `console` keeps of one script, and characters of each.
const LINES: u32 = 50;
const LETTERS: u32 = 400;
/// Longest value an expression may give, bytes.
const VALUE: usize = 64 << 10;

/// What scripts of one trial are told of the world.
#[derive(Clone, Copy, Debug)]
pub struct World {
    /// What `Math.random` draws from.
    pub seed: u32,
    /// What `Date` shows, ms since 1970.
    pub now_ms: f64,
}

/// The scripts of one trial: what one of them puts into `output` the next ones find there.
pub struct Scripts {
    // Before the context and the runtime, which must outlive it.
    evaluate: Persistent<Function<'static>>,
    said: Persistent<Function<'static>>,
    copied: Persistent<Function<'static>>,
    tick: Persistent<Function<'static>>,
    context: Context,
    _runtime: Runtime,
    looks: Arc<AtomicU32>,
}

impl Scripts {
    /// An engine in which nothing was run yet.
    ///
    /// # Errors
    /// There is not the memory for one.
    pub fn new(world: World) -> Result<Scripts, ScriptError> {
        let looks = Arc::new(AtomicU32::new(0));
        let runtime = Runtime::new().map_err(|error| ScriptError::Engine(error.to_string()))?;
        runtime.set_memory_limit(MEMORY);
        runtime.set_max_stack_size(STACK);
        let counted = Arc::clone(&looks);
        runtime
            .set_interrupt_handler(Some(Box::new(move || counted.fetch_add(1, Ordering::Relaxed) >= LOOKS)));
        let context = Context::full(&runtime).map_err(|error| ScriptError::Engine(error.to_string()))?;
        let [evaluate, said, copied, tick] = context
            .with(|ctx| {
                let told = Object::new(ctx.clone())?;
                told.set("seed", world.seed)?;
                told.set("now", world.now_ms)?;
                told.set("lines", LINES)?;
                told.set("letters", LETTERS)?;
                let prelude: Function<'_> = ctx.eval(include_str!("prelude.js"))?;
                let tools: Object<'_> = prelude.call((told,))?;
                let tool =
                    |name: &str| tools.get::<_, Function<'_>>(name).map(|tool| Persistent::save(&ctx, tool));
                Ok::<_, rquickjs::Error>([tool("evaluate")?, tool("said")?, tool("copied")?, tool("tick")?])
            })
            .map_err(|error| ScriptError::Engine(error.to_string()))?;
        Ok(Scripts { evaluate, said, copied, tick, context, _runtime: runtime, looks })
    }

    /// The value of an expression, or of the last statement of several, as text.
    ///
    /// # Errors
    /// What the script threw, or the bound it broke.
    pub fn evaluate(
        &self,
        source: &str,
        variables: &BTreeMap<String, String>,
    ) -> Result<String, ScriptError> {
        let value = self
            .in_bounds(variables, |ctx| self.evaluate.clone().restore(ctx)?.call::<_, String>((source,)))?;
        if value.len() > VALUE { Err(ScriptError::Value(VALUE)) } else { Ok(value) }
    }

    /// Runs a script file in a scope of its own. What it said to `console`.
    ///
    /// # Errors
    /// What it threw, or the bound it broke.
    pub fn run(
        &self,
        source: &str,
        variables: &BTreeMap<String, String>,
    ) -> Result<Vec<String>, ScriptError> {
        let scoped = format!("(function () {{{source}\n}})()");
        self.in_bounds(variables, |ctx| {
            self.evaluate.clone().restore(ctx)?.call::<_, String>((scoped,))?;
            self.said.clone().restore(ctx)?.call(())
        })
    }

    /// What `maestro.copiedText` says from now on.
    ///
    /// # Errors
    /// There is no memory left for it.
    pub fn copied(&self, text: &str) -> Result<(), ScriptError> {
        self.in_bounds(&BTreeMap::new(), |ctx| self.copied.clone().restore(ctx)?.call((text,)))
    }

    /// What `Date` shows from now on, ms since 1970.
    ///
    /// # Errors
    /// There is no memory left for it.
    pub fn tick(&self, now_ms: f64) -> Result<(), ScriptError> {
        self.in_bounds(&BTreeMap::new(), |ctx| self.tick.clone().restore(ctx)?.call((now_ms,)))
    }

    fn in_bounds<T>(
        &self,
        variables: &BTreeMap<String, String>,
        work: impl FnOnce(&Ctx<'_>) -> rquickjs::Result<T>,
    ) -> Result<T, ScriptError> {
        self.looks.store(0, Ordering::Relaxed);
        self.context.with(|ctx| {
            let declared = variables.iter().try_for_each(|(name, value)| ctx.globals().set(name, value));
            let result = declared.and_then(|()| work(&ctx)).catch(&ctx).map_err(|caught| words(&caught));
            match result {
                Err(_) if self.looks.load(Ordering::Relaxed) > LOOKS => Err(ScriptError::Endless),
                Err(why) if why.contains("out of memory") => Err(ScriptError::Memory(MEMORY)),
                result => result.map_err(ScriptError::Threw),
            }
        })
    }
}

/// Tells scripts from what is none, without running anything. Its engine is made when it is first asked.
#[derive(Default)]
pub struct Checker {
    engine: OnceCell<Option<(Runtime, Context)>>,
}

impl Checker {
    /// Whether this is a script at all.
    ///
    /// # Errors
    /// What is wrong with it, as the engine says it.
    pub fn check(&self, source: &str) -> Result<(), ScriptError> {
        let engine = self.engine.get_or_init(|| {
            let runtime = Runtime::new().ok()?;
            runtime.set_memory_limit(MEMORY);
            runtime.set_max_stack_size(STACK);
            Context::full(&runtime).ok().map(|context| (runtime, context))
        });
        let Some((_, context)) = engine else { return Err(ScriptError::Engine("no memory".to_owned())) };
        context.with(|ctx| {
            // A function that is made and not called.
            let mut options = EvalOptions::default();
            options.strict = false;
            let made = format!("(function () {{{source}\n}})");
            let made = ctx.eval_with_options::<Function<'_>, _>(made, options).catch(&ctx);
            made.map(drop).map_err(|caught| ScriptError::Threw(words(&caught)))
        })
    }
}

fn words(caught: &CaughtError<'_>) -> String {
    match caught {
        CaughtError::Exception(exception) => {
            let name: String = exception.get("name").unwrap_or_else(|_| "Error".to_owned());
            format!("{name}: {}", exception.message().unwrap_or_default())
        }
        CaughtError::Value(value) => match value.as_string().map(|text| text.to_string()) {
            Some(Ok(text)) => text,
            _ => "it threw something that is no error".to_owned(),
        },
        CaughtError::Error(error) => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
