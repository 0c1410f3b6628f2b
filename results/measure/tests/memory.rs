//! Evidence of strangers takes memory in proportion to its size: every byte that is allocated while it is read back is
//! counted, over files drawn from a seed (docs/limits.md, "Bundles").
#![allow(unsafe_code, reason = "an allocator hands out raw memory")]

use farmjank_frames::registry::{dump_readers, probe_readers};
use farmjank_measure::probe_read::ProbeContext;
use farmjank_measure::read_back::ReadBack;
use farmjank_measure::readers::Readers;
use farmjank_measure::saved::{Asked, Dumps, of_dumps, open};
use farmjank_results::device::App;
use farmjank_results::time::{ClockMap, Span};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts what is allocated now, and the most there was.
struct Counted;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does everything; sizes are counted beside it.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(now, Relaxed);
        // SAFETY: what is promised of the layout is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the memory is the system's, with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static MEMORY: Counted = Counted;

/// Bytes allocated at most while something is done, beside what there was before.
fn taken<T>(work: impl FnOnce() -> T) -> usize {
    let before = NOW.load(Relaxed);
    MOST.store(before, Relaxed);
    drop(work());
    MOST.load(Relaxed) - before
}

/// What evidence of so many bytes may take: twice what it may unfold to, and what its new lines are once they are read.
fn most(size: usize) -> usize {
    let unfolded = (512 * size + (1 << 20)).min((512 << 20).max(16 * size));
    2 * unfolded + 64 * size
}

/// Others draw other files.
const SEED: u64 = 17;
/// How many are drawn.
const FILES: usize = 400;

struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % most
    }
}

const COLUMNS: &str = "Flags,IntendedVsync,Vsync,OldestInputEvent,NewestInputEvent,HandleInputStart,AnimationStart,\
    PerformTraversalsStart,DrawStart,SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted,";

/// A line as phones print it, or nearly.
fn line(chance: &mut Chance) -> String {
    let n = chance.below(1 << 20);
    match chance.below(10) {
        0 => "16666667".to_owned(),
        1 => String::new(),
        2 => "---PROFILEDATA---".to_owned(),
        3 => COLUMNS.to_owned(),
        4 => format!("Window: w{n}"),
        5 => (0..14)
            .map(|at| if at == 0 { 0 } else { n * 1_000 + at })
            .fold(String::new(), |row, at| format!("{row}{at},")),
        6 => format!(
            " 1700000000.{:03}  2101  2101 W Looper  : Slow dispatch took {n}ms main h=a c=b m=1",
            n % 1000
        ),
        7 => "** Graphics info for pid 2101 [com.a] **".to_owned(),
        _ => format!("1\t{n}\t{n}"),
    }
}

/// An evidence file whose dumps say again what was said, ever more of it.
fn hostile(chance: &mut Chance) -> Vec<u8> {
    let mut text = "# farmjank evidence 1\n".to_owned();
    let mut lengths = [0_usize; 4];
    let sources =
        [("surfaceflinger", "com.a/.M#1"), ("gfxinfo", "com.a"), ("logcat", "begin"), ("logcat", "end")];
    let home = chance.below(4);
    for _ in 0..chance.below(60) {
        let to = if chance.below(3) == 0 { chance.below(4) } else { home };
        let (mut lines, mut body) = (0, String::new());
        for _ in 0..=chance.below(6) {
            if lengths[to] > 0 && chance.below(3) > 0 {
                let from = if chance.below(2) == 0 { 0 } else { chance.below(lengths[to]) };
                lines += lengths[to] - from;
                let _ = writeln!(body, "={from} {}", lengths[to] - from);
            } else {
                let fresh = 1 + chance.below(5);
                lines += fresh;
                let _ = writeln!(body, "+{fresh}");
                for _ in 0..fresh {
                    let _ = writeln!(body, "{}", line(chance));
                }
            }
        }
        if lines > 1 << 17 {
            continue;
        }
        let (source, target) = sources[to];
        let at = chance.below(1 << 30);
        let _ = write!(
            text,
            "@dump {{\"source\":\"{source}\",\"target\":\"{target}\",\"asked\":{at},\"answered\":{at},\"arrived\":1,\
             \"lines\":{lines},\"tail\":true}}\n{body}"
        );
        lengths[to] = lines;
    }
    text.into_bytes()
}

#[test]
fn evidence_of_n_bytes_takes_memory_in_proportion_to_n() {
    let mut chance = Chance(SEED);
    let readers = Readers { dumps: dump_readers(), probes: probe_readers() };
    let app = App("com.a".to_owned());
    let clock = Some(ClockMap { offset: Span::ZERO, uncertainty: Span::ZERO });
    let how = ProbeContext { app: &app, clock, modes: &[60.0] };
    let (mut read, mut largest) = (0, 0.0_f64);
    for nth in 0..FILES {
        let file = hostile(&mut chance);
        let size = file.len();
        let both: [(&str, &mut dyn FnMut() -> bool); 2] = [
            ("read back", &mut || {
                ReadBack::read(vec![("w.dumps".to_owned(), file.clone())], &readers, how).is_ok()
            }),
            ("analysed", &mut || {
                let mut dumps = Dumps::default();
                let opened = open(file.clone(), &Asked::default(), &readers);
                let united = opened.and_then(|opened| dumps.unite("w.dumps", opened, &readers));
                united.and_then(|()| of_dumps(&Asked::default(), dumps)).is_ok()
            }),
        ];
        for (what, work) in both {
            let mut told = false;
            let took = taken(|| told = work());
            read += usize::from(told);
            largest = largest.max(took as f64 / most(size) as f64);
            assert!(
                took <= most(size),
                "{what}, file {nth}: {took} bytes for {size}, at most {}",
                most(size)
            );
        }
    }
    println!("{read} of {} were read, the largest took {largest:.2} of what it may", 2 * FILES);
    assert!(read > FILES / 2 && largest > 0.1, "the files are no test: {read} read, {largest:.2}");
}
