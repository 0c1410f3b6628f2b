//! What threads' stacks of calls are: from the outermost call to the innermost, with the files their code is in, as an
//! unwinder finds them. Interpreted code has frames of ART in between.
//!
//! Must not know who looks, nor when.

use super::cast::{Tid, of_app};
use crate::spec::Method;
use std::collections::BTreeMap;

/// A call and its file.
pub type Call = (&'static str, &'static str);

const BOOT: &str = "/system/framework/arm64/boot-framework.oat";
const CORE: &str = "/apex/com.android.art/javalib/arm64/boot.oat";
const ART: &str = "/apex/com.android.art/lib64/libart.so";
const LIBC: &str = "/apex/com.android.runtime/lib64/bionic/libc.so";
const HWUI: &str = "/system/lib64/libhwui.so";
const RUNTIME: &str = "/system/lib64/libandroid_runtime.so";
const APK: &str = "/data/app/~~Zf3kQ0x1uVfWm6b2cT9y1A==/com.example.shop-h8s2LkPq0vXn5dYt7RwEzg==/base.apk";
/// How ART calls a method it interprets.
const INTERPRETED: [Call; 2] = [("nterp_op_invoke_virtual", ART), ("ExecuteSwitchImplAsm", ART)];
/// Below every message of a main thread.
const MAIN: [Call; 8] = [
    ("__libc_init", LIBC),
    ("main", "/system/bin/app_process64"),
    ("android::AndroidRuntime::start(char const*, android::Vector<android::String8> const&, bool)", RUNTIME),
    ("art_quick_invoke_static_stub", ART),
    ("com.android.internal.os.ZygoteInit.main", BOOT),
    ("android.app.ActivityThread.main", BOOT),
    ("android.os.Looper.loop", BOOT),
    ("android.os.Looper.loopOnce", BOOT),
];
const FRAME: [Call; 3] = [
    ("android.os.Handler.dispatchMessage", BOOT),
    ("android.view.Choreographer$FrameDisplayEventReceiver.run", BOOT),
    ("android.view.Choreographer.doFrame", BOOT),
];

/// What a thread does, as far as its calls tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It handles a message that is no frame.
    Message,
    /// Callbacks of a frame: the list scrolls.
    Callbacks,
    /// It measures and lays out: rows are bound.
    Layout,
    /// It records what is drawn.
    Draw,
    /// It waits for the RenderThread.
    Sync,
    /// A section of the app's own.
    Loads,
    /// It is held up in a method.
    Planted(Method),
}

/// What threads did, from when to when; of what overlaps the last to begin counts.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    within: BTreeMap<Tid, Vec<(i64, i64, Doing)>>,
}

impl Calls {
    /// A thread does this from here to there.
    pub fn does(&mut self, tid: Tid, (from, to): (i64, i64), doing: Doing) {
        self.within.entry(tid).or_default().push((from, to, doing));
    }

    /// Puts everything in order: once, before it is asked.
    pub fn settle(&mut self) {
        self.within.values_mut().for_each(|all| all.sort_by_key(|(from, to, _)| (*from, -to)));
    }

    /// The stack of a thread of an app at an instant, the outermost call first. `main`: its process's first.
    pub fn at(&self, tid: Tid, main: Tid, at: i64) -> Vec<Call> {
        if tid != main {
            return beside(tid - main);
        }
        let all = self.within.get(&tid).map(Vec::as_slice).unwrap_or_default();
        let begun = &all[..all.partition_point(|(from, ..)| *from <= at)];
        let doing = begun.iter().rev().take(16).find(|(_, to, _)| *to > at).map(|(.., doing)| *doing);
        let mut calls = MAIN.to_vec();
        let Some(doing) = doing else {
            calls.push(("android.os.MessageQueue.next", BOOT));
            calls.push(("android.os.MessageQueue.nativePollOnce", BOOT));
            calls.push(("android::Looper::pollInner(int)", "/system/lib64/libutils.so"));
            calls.push(("epoll_pwait", LIBC));
            return calls;
        };
        match doing {
            Doing::Message => calls.push(("android.os.Handler.dispatchMessage", BOOT)),
            _ => calls.extend(FRAME),
        }
        match doing {
            Doing::Message => calls.push(("com.example.shop.Refresher$1.run", APK)),
            Doing::Callbacks => {
                calls.push(("android.view.Choreographer.doCallbacks", BOOT));
                calls.push(("com.example.shop.FeedList.computeScroll", APK));
            }
            Doing::Layout => {
                calls.push(("android.view.ViewRootImpl.performLayout", BOOT));
                calls.push(("androidx.recyclerview.widget.RecyclerView.onLayout", APK));
                calls.push(("com.example.shop.FeedAdapter.bind", APK));
                calls.push(("android.widget.TextView.setText", BOOT));
            }
            Doing::Draw => {
                calls.push(("android.view.ViewRootImpl.performDraw", BOOT));
                calls.push(("android.view.View.updateDisplayListIfDirty", BOOT));
            }
            Doing::Sync => calls.push(("android.graphics.HardwareRenderer.nSyncAndDrawFrame", BOOT)),
            Doing::Loads => {
                calls.push(("com.example.shop.FeedActivity.onScrolled", APK));
                calls.push(("com.example.shop.FeedLoader.load", APK));
            }
            Doing::Planted(method) => {
                let [own, caller] = method.of_app();
                calls.push((caller, APK));
                calls.extend(INTERPRETED);
                calls.push((own, APK));
                let file = |name: &str| if name.starts_with("android.") { BOOT } else { CORE };
                calls.extend(method.inside().iter().rev().map(|name| (*name, file(name))));
            }
        }
        calls
    }
}

/// The stack of a thread beside main, by what it is of an app.
fn beside(which: u32) -> Vec<Call> {
    let start: [Call; 2] = [("__start_thread", LIBC), ("__pthread_start(void*)", LIBC)];
    let rest: &[Call] = match which {
        of_app::RENDER => &[
            ("android::uirenderer::renderthread::RenderThread::threadLoop()", HWUI),
            ("android::uirenderer::renderthread::CanvasContext::draw(bool)", HWUI),
        ],
        of_app::WRITER => &[
            ("java.lang.Thread.run", CORE),
            ("com.example.shop.ShopDb.flush", APK),
            ("java.lang.Object.notify", CORE),
        ],
        of_app::POOL | of_app::POOL_TOO => &[
            ("java.lang.Thread.run", CORE),
            ("java.util.concurrent.ThreadPoolExecutor$Worker.run", CORE),
            ("com.example.shop.Prefetch.run", APK),
        ],
        of_app::LOADER => &[("java.lang.Thread.run", CORE), ("com.example.shop.ImageLoader.run", APK)],
        _ => &[("java.lang.Thread.run", CORE)],
    };
    start.into_iter().chain(rest.iter().copied()).collect()
}
