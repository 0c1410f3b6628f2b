//! Where on a frame's way a planted cause holds it up. Times are ns on CLOCK_MONOTONIC. Must not know traces.

use crate::spec::{CauseSpec, Hold};
use crate::truth::held::{TruthHeld, split};

/// A stage of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before its callback.
    Before,
    /// On main, after so many thousandths of what it does anyway.
    Main(i64),
    /// On the RenderThread, while it draws.
    Render,
    /// On the GPU.
    Gpu,
}

fn place(hold: Hold) -> Place {
    match hold {
        Hold::Message => Place::Before,
        Hold::Input => Place::Main(30),
        Hold::Layout | Hold::Inflate => Place::Main(420),
        Hold::Draw => Place::Main(800),
        Hold::Upload | Hold::Shader | Hold::Render | Hold::RenderStarved => Place::Render,
        Hold::Gpu => Place::Gpu,
        _ => Place::Main(160),
    }
}

/// What a frame takes without anything planted, ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bare {
    /// Its callback would begin then.
    pub start: i64,
    /// Its work on main.
    pub ui: i64,
    /// Its work on the RenderThread, and on the GPU.
    pub render: i64,
    pub gpu: i64,
}

/// When what depends on others came to be: the callback, the wait for a buffer and how long it was, the GPU's end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub start: i64,
    pub issue: i64,
    pub dequeue: i64,
    pub ready: i64,
}

/// Where main's stages are with what is planted, and that itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    pub traversal: i64,
    pub draw: i64,
    pub held: [Option<TruthHeld>; 2],
}

/// A frame's stages with what is planted, as far as they do not depend on what else goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planted {
    cause: CauseSpec,
    ns: [i64; 2],
    bare: Bare,
}

impl Planted {
    pub(super) fn new(cause: CauseSpec, late: i64, bare: Bare) -> Planted {
        Planted { cause, ns: split(cause, late), bare }
    }

    fn holds(&self) -> impl Iterator<Item = (Place, i64)> {
        let second = self.cause.and.map(|hold| (place(hold), self.ns[1]));
        std::iter::once((place(self.cause.kind), self.ns[0])).chain(second)
    }

    fn of(&self, wanted: impl Fn(Place) -> bool) -> i64 {
        self.holds().filter(|(place, _)| wanted(*place)).map(|(_, ns)| ns).sum()
    }

    /// Time before the callback, on main, on the RenderThread, on the GPU.
    pub(super) fn stages(&self) -> (i64, i64, i64, i64) {
        let Bare { ui, render, gpu, .. } = self.bare;
        (
            self.of(|place| place == Place::Before),
            ui + self.of(|place| matches!(place, Place::Main(_))),
            render + self.of(|place| place == Place::Render),
            gpu + self.of(|place| place == Place::Gpu),
        )
    }

    /// The RenderThread's work without it.
    pub(super) fn bare_render(&self) -> i64 {
        self.bare.render
    }

    /// Where main's stages are with this, and the holds themselves.
    pub(super) fn settle(&self, known: Known) -> Settled {
        let Bare { start: plain, ui, render, .. } = self.bare;
        let Known { start, issue, dequeue, ready } = known;
        let until = |share: i64| self.of(|place| matches!(place, Place::Main(at) if at < share));
        // Both in the order of the way; of the same place the first one first.
        let first_earlier = |one: Place, other: Place| match (one, other) {
            (Place::Main(one), Place::Main(other)) => one <= other,
            (one, other) => one == other,
        };
        let all: Vec<(Place, i64)> = self.holds().collect();
        let before = |nth: usize| {
            let (own, _) = all[nth];
            let same = |(other, (place, _)): &(usize, &(Place, i64))| {
                *other != nth
                    && std::mem::discriminant(place) == std::mem::discriminant(&own)
                    && match other.cmp(&nth) {
                        std::cmp::Ordering::Less => first_earlier(*place, own),
                        _ => !first_earlier(own, *place),
                    }
            };
            all.iter().enumerate().filter(same).map(|(_, (_, ns))| ns).sum::<i64>()
        };
        let held = |nth: usize, by: Hold| {
            let (place, ns) = *all.get(nth)?;
            let from = before(nth)
                + match place {
                    Place::Before => plain,
                    Place::Main(share) => start + ui * share / 1_000,
                    Place::Render => issue + dequeue + render / 5,
                    Place::Gpu => ready - self.of(|place| place == Place::Gpu),
                };
            let meanwhile = self.cause.meanwhile;
            let method = self.cause.method.filter(|_| nth == 0);
            Some(TruthHeld { by, meanwhile, method, from, to: from + ns })
        };
        Settled {
            traversal: start + ui / 4 + until(250),
            draw: start + ui * 3 / 5 + until(600),
            held: [held(0, self.cause.kind), self.cause.and.and_then(|by| held(1, by))],
        }
    }
}
