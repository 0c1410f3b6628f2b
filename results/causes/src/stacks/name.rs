//! Names of methods and functions: whose they are, and what of them stays the same from build to build.

use super::recording::Call;

/// Code of the platform and of libraries that every app carries, by how its names begin.
const PLATFORM: [&str; 20] = [
    "android.",
    "androidx.",
    "com.android.",
    "com.google.android.material.",
    "dalvik.",
    "dagger.",
    "java.",
    "javax.",
    "jdk.",
    "kotlin.",
    "kotlinx.",
    "libcore.",
    "org.apache.harmony.",
    "org.chromium.",
    "sun.",
    "art_",
    "art::",
    "android::",
    "std::",
    "nterp_",
];
/// Where code of the platform lies; the last two of a Linux machine.
const PLACES: [&str; 11] = [
    "/system/",
    "/system_ext/",
    "/apex/",
    "/vendor/",
    "/product/",
    "/odm/",
    "[kernel",
    "[vdso]",
    "/usr/lib",
    "/lib/",
    "/lib64/",
];
/// How ART runs code that is not compiled, and calls what is: no calls of anybody.
const RUNTIME: [&str; 8] = [
    "art::",
    "art_",
    "nterp_",
    "ExecuteNterpImpl",
    "ExecuteSwitchImplAsm",
    "ExecuteMterpImpl",
    "MterpInvoke",
    "artQuickToInterpreterBridge",
];
/// Where main waits for its next message.
const IDLE: [&str; 5] = [
    "android.os.MessageQueue.nativePollOnce",
    "android::android_os_MessageQueue_nativePollOnce",
    "android::NativeMessageQueue::pollOnce",
    "android::Looper::pollOnce",
    "android::Looper::pollInner",
];

/// What compilers add to functions they made parts or copies of.
const COPIES: [&str; 5] = [".isra.", ".constprop.", ".part.", ".llvm.", ".cold"];

/// Whether a method of Java or Kotlin code is meant: `com.shop.Feed.bind`.
fn is_managed(name: &str) -> bool {
    name.contains('.') && !name.contains("::") && !name.starts_with('_') && whole(name) == name
}

/// Name of the function of which this is a part or a copy.
fn whole(name: &str) -> &str {
    COPIES.iter().fold(name, |name, copy| name.find(copy).map_or(name, |at| &name[..at]))
}

/// Whether a call is how ART runs code, and no code of anybody.
pub(super) fn is_runtime(call: &Call) -> bool {
    RUNTIME.iter().any(|start| call.name.starts_with(start))
}

/// Whether a call is of the platform, or of a library that every app carries.
pub fn is_platform(call: &Call) -> bool {
    let named = PLATFORM.iter().any(|start| call.name.starts_with(start));
    // Managed code of the app may lie anywhere; native code is known by its file.
    named || (!is_managed(&call.name) && PLACES.iter().any(|place| call.file.starts_with(place)))
}

/// Whether main waits for its next message in this call.
pub fn is_idle(name: &str) -> bool {
    let name = method(name);
    IDLE.iter().any(|idle| name == *idle)
}

/// A name without what differs between builds that do not differ there: no types, no numbers of lambdas and of classes
/// without a name, no addresses.
pub fn method(name: &str) -> String {
    let name = whole(without_types(name.trim().trim_end_matches(" [DEDUPED]")));
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find(['$', '@']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("$$ExternalSyntheticLambda") {
            out.push_str("$lambda");
            rest = after.trim_start_matches(|letter: char| letter.is_ascii_digit());
        } else if let Some(after) = rest.strip_prefix('@') {
            rest = after.trim_start_matches(|letter: char| letter.is_ascii_hexdigit());
        } else {
            let after = &rest[1..];
            let number = after.trim_start_matches(|letter: char| letter.is_ascii_digit());
            let is_number = number.len() < after.len() && !number.starts_with(char::is_alphanumeric);
            out.push_str(if is_number { "$#" } else { "$" });
            rest = if is_number { number } else { after };
        }
    }
    out.push_str(rest);
    out
}

/// `void com.shop.Feed.bind(int)` and `Feed::bind(int)` without their types.
fn without_types(name: &str) -> &str {
    // A space comes before a method only after its type: `operator new` and templates have theirs later.
    let name = match name.split_once(' ') {
        Some((of, rest)) if is_managed(rest) && !of.contains("::") => rest,
        _ => name,
    };
    match name.find('(') {
        Some(at) if at > 0 && !name[..at].ends_with("operator") => name[..at].trim_end(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_keeps_its_name_from_build_to_build() {
        for (name, stays) in [
            ("com.shop.Feed.bind", "com.shop.Feed.bind"),
            ("void com.shop.Feed.bind(int, java.lang.String)", "com.shop.Feed.bind"),
            ("com.shop.Feed$$ExternalSyntheticLambda12.run", "com.shop.Feed$lambda.run"),
            ("com.shop.Feed.lambda$onCreate$3", "com.shop.Feed.lambda$onCreate$#"),
            ("com.shop.Feed$load$1$2.invokeSuspend", "com.shop.Feed$load$#$#.invokeSuspend"),
            ("com.shop.Feed$2d.run", "com.shop.Feed$2d.run"),
            ("-$$Nest$fgetrows", "-$$Nest$fgetrows"),
            ("com.shop.Row@4f2a.draw", "com.shop.Row.draw"),
            ("shop::Feed::bind(int)", "shop::Feed::bind"),
            ("shop::Feed::operator()(int)", "shop::Feed::operator()(int)"),
            ("(anonymous namespace)::bind(int)", "(anonymous namespace)::bind(int)"),
            ("java.lang.Object.wait [DEDUPED]", "java.lang.Object.wait"),
            ("finish_task_switch.isra.0", "finish_task_switch"),
            ("shop::decode.llvm.123 (.cold)", "shop::decode"),
            ("", ""),
        ] {
            assert_eq!(method(name), stays, "{name}");
        }
    }

    #[test]
    fn code_is_the_apps_by_its_name_and_native_code_by_its_file() {
        let of = |name: &str, file: &str| is_platform(&Call { name: name.to_owned(), file: file.to_owned() });
        assert!(!of("com.shop.Feed.bind", "/system/framework/oat/arm64/shop.odex"));
        assert!(of("android.view.Choreographer.doFrame", "/data/app/base.odex"));
        assert!(of("epoll_pwait", "/apex/com.android.runtime/lib64/bionic/libc.so"));
        assert!(of("finish_task_switch.isra.0", "[kernel.kallsyms]"));
        assert!(!of("decode_thumb", "/data/app/~~x==/com.shop-y==/lib/arm64/libshop.so"));
        assert!(is_idle("android.os.MessageQueue.nativePollOnce"));
        assert!(is_idle("android::Looper::pollInner(int)"));
        assert!(!is_idle("android.os.MessageQueue.next"));
    }
}
