//! What a lab file says of why frames are late: what is planted. The phone tells none of these words.

use super::method::Method;
use schemars::JsonSchema;
use serde::Deserialize;

/// What holds a frame up. The truth knows it; a trace tells only what the kernel and the platform would have told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// Main waits for a lock of Java code that the thread `db-writer` has in `ShopDb.flush`.
    Lock,
    /// Main waits for a lock inside ART.
    ArtLock,
    /// Main waits for a native lock.
    Mutex,
    /// Main waits for the answer of `system_server`.
    Binder,
    /// Main reads what is not in memory: page faults, one after another.
    Disk,
    /// Main waits inside the kernel, for no disk.
    Kernel,
    /// Main waits for the garbage collector.
    Gc,
    /// Main collects garbage itself.
    GcItself,
    /// Main frees memory for the whole phone.
    Reclaim,
    /// Another app runs on main's CPU.
    Starved,
    /// The app's own threads do.
    StarvedByItself,
    /// Main waits for a thread of its own pool.
    Thread,
    /// Main's CPU runs at a lower clock rate.
    SlowClock,
    /// The same, because the phone allows it no more.
    Throttled,
    /// Main inflates a layout.
    Inflate,
    /// Main measures and lays out.
    Layout,
    /// Main records what is drawn.
    Draw,
    /// Main handles touches.
    Input,
    /// Main runs animations.
    Animation,
    /// Main composes.
    Compose,
    /// Main decodes a picture.
    Decode,
    /// Main loads classes.
    Class,
    /// Main compiles code.
    Jit,
    /// Main runs a section of the app's own.
    Code,
    /// Main handles another message before the frame.
    Message,
    /// The RenderThread moves a picture to the GPU.
    Upload,
    /// The RenderThread compiles a shader.
    Shader,
    /// The RenderThread draws, and no section says what.
    Render,
    /// The RenderThread is ready, and another app runs on its CPU.
    RenderStarved,
    /// The GPU is not done.
    Gpu,
    /// Main waits, and nothing tells on what.
    Unknown,
}

/// What whom main waits for does meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Meanwhile {
    /// It runs.
    #[default]
    Runs,
    /// It waits for the disk.
    Disk,
    /// It waits for a lock that a third thread has.
    Lock,
    /// It waits for the answer of another process.
    Binder,
    /// It is ready and has no CPU.
    Starved,
}

/// One thing that makes frames of a page late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CauseSpec {
    /// What.
    pub kind: Hold,
    /// A second one in the same frame: it takes four tenths of the time.
    #[serde(default)]
    pub and: Option<Hold>,
    /// What the lock's owner or the process that answers does meanwhile.
    #[serde(default)]
    pub meanwhile: Meanwhile,
    /// The method of the app in which the first of them holds main up: call stacks tell it, nothing else does.
    #[serde(default)]
    pub method: Option<Method>,
}
