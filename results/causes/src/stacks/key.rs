//! What a stack is known by: the innermost method of the app's own, and who of the app called it.

use super::name::{is_idle, is_platform, is_runtime, method};
use super::recording::{Call, Recording};

/// Calls told of a stack.
const PATH: usize = 5;

/// What a stack is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// `com.shop.Json.parse, called by com.shop.Feed.onReply`: of the app where it has a part in it, else of the
    /// platform; the file and nothing else where nothing has a name.
    pub object: String,
    /// The innermost calls that are somebody's, innermost first.
    pub path: String,
    /// The app has a part in it.
    pub own: bool,
}

/// Between a method and who called it.
const CALLED: &str = ", called by ";

impl Key {
    /// The method alone, without who called it.
    pub fn method(&self) -> &str {
        self.object.split(CALLED).next().unwrap_or_default()
    }
}

/// Of every stack of a recording: its key, and whether main waits for its next message in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    all: Vec<(Option<Key>, bool)>,
}

impl Keys {
    /// Of this recording.
    pub fn of(recording: &Recording) -> Keys {
        let of = |stack| {
            let idle = recording.calls(stack).any(|call| is_idle(&call.name));
            (key(recording, stack), idle)
        };
        Keys { all: (0..recording.stacks()).map(of).collect() }
    }

    /// The key of a stack.
    pub fn key(&self, stack: u32) -> Option<&Key> {
        self.all.get(stack as usize).and_then(|(key, _)| key.as_ref())
    }

    /// Whether main waits for its next message in it.
    pub fn is_idle(&self, stack: u32) -> bool {
        self.all.get(stack as usize).is_some_and(|(_, idle)| *idle)
    }
}

fn key(recording: &Recording, stack: u32) -> Option<Key> {
    let calls: Vec<&Call> = recording.calls(stack).filter(|call| !is_runtime(call)).collect();
    let named = || calls.iter().filter(|call| !call.name.is_empty());
    let mut own = named().filter(|call| !is_platform(call)).map(|call| method(&call.name));
    let innermost = own.next();
    let is_own = innermost.is_some();
    let object = match innermost {
        Some(innermost) => match own.find(|caller| *caller != innermost) {
            Some(caller) => format!("{innermost}{CALLED}{caller}"),
            None => innermost,
        },
        None => {
            // Of the platform alone: its methods say more than what they call in libraries.
            let managed = |call: &&&Call| call.name.contains('.') && !call.name.contains("::");
            let call = named().find(managed).or_else(|| named().next());
            call.map(|call| method(&call.name)).or_else(|| nameless(&calls))?
        }
    };
    let mut path: Vec<String> = Vec::new();
    for call in named() {
        let name = method(&call.name);
        if path.last() != Some(&name) {
            path.push(name);
        }
        if path.len() == PATH {
            break;
        }
    }
    Some(Key { object, path: path.join(" ← "), own: is_own })
}

/// The file of the innermost call, where no call has a name.
fn nameless(calls: &[&Call]) -> Option<String> {
    let file = calls.iter().map(|call| call.file.as_str()).find(|file| !file.is_empty())?;
    file.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(calls: &[(&str, &str)]) -> Option<Key> {
        let mut recording = Recording::default();
        let numbers = calls
            .iter()
            .map(|(name, file)| recording.call(Call { name: (*name).to_owned(), file: (*file).to_owned() }));
        let numbers = numbers.collect();
        let stack = recording.stack(numbers);
        key(&recording, stack)
    }

    #[test]
    fn a_stack_is_known_by_the_innermost_method_of_the_app_and_its_caller() {
        let found = told(&[
            ("memcpy", "/apex/com.android.runtime/lib64/bionic/libc.so"),
            ("android.graphics.Bitmap.nativeDecode", "/system/framework/boot.oat"),
            ("nterp_op_invoke_virtual", "/apex/com.android.art/lib64/libart.so"),
            ("com.shop.Thumb.decode", "/data/app/base.apk"),
            ("art::interpreter::DoCall", "/apex/com.android.art/lib64/libart.so"),
            ("com.shop.Thumb.decode", "/data/app/base.apk"),
            ("com.shop.Feed$Adapter.onBind", "/data/app/base.apk"),
            ("android.view.Choreographer.doFrame", "/system/framework/boot.oat"),
        ]);
        let found = found.expect("a key");
        assert_eq!(found.object, "com.shop.Thumb.decode, called by com.shop.Feed$Adapter.onBind");
        let path = "memcpy ← android.graphics.Bitmap.nativeDecode ← com.shop.Thumb.decode ← \
                    com.shop.Feed$Adapter.onBind ← android.view.Choreographer.doFrame";
        assert_eq!(found.path, path);
    }

    #[test]
    fn a_stack_without_the_app_is_known_by_the_platforms_method_and_one_without_names_by_its_file() {
        let boot = "/system/framework/boot.oat";
        let of_platform = told(&[("memcpy", "/apex/x/libc.so"), ("android.view.View.measure", boot)]);
        assert_eq!(of_platform.expect("a key").object, "android.view.View.measure");
        let nameless = told(&[("", "/data/app/x/lib/arm64/libshop.so"), ("", "/data/app/y")]);
        assert_eq!(nameless.expect("a key").object, "libshop.so");
        assert_eq!(told(&[("art::Run", "/apex/x/libart.so")]), None);
        assert_eq!(told(&[]), None);
    }
}
