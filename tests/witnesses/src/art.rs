//! Method traces as ART writes them, made here by the format: what threads entered and left is planned.

/// Number of the main thread, and of its process.
pub const MAIN: u16 = 4_242;
/// Another thread's.
pub const OTHER: u16 = 4_250;
/// A millisecond, µs.
pub const MS: u32 = 1_000;
/// Waits for the next message.
pub const POLL: u32 = 0x1000;
/// Handles one.
pub const DISPATCH: u32 = 0x1004;
/// The app's.
pub const BIND: u32 = 0x1008;
/// The app's, too.
pub const DECODE: u32 = 0x100c;
/// Waits.
pub const WAIT: u32 = 0x1010;
/// What the other thread does.
pub const SYNC: u32 = 0x1014;
const METHODS: [(u32, &str, &str, &str); 6] = [
    (POLL, "android.os.MessageQueue", "nativePollOnce", "(JI)V"),
    (DISPATCH, "android.os.Handler", "dispatchMessage", "(Landroid/os/Message;)V"),
    (BIND, "com.shop.Feed", "bind", "(I)V"),
    (DECODE, "com.shop.Thumb", "decode", "()Landroid/graphics/Bitmap;"),
    (WAIT, "java.lang.Object", "wait", "(J)V"),
    (SYNC, "com.shop.Sync", "run", "()V"),
];

/// How it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With both clocks.
    Both,
    /// With the wall's.
    Wall,
    /// With the threads' own.
    Thread,
    /// With both, and streamed.
    Streamed,
}

/// Threads that enter methods and leave them: thread, method, how (0 entered, 1 left, 2 by an exception), its own clock
/// and the wall's, µs.
#[derive(Clone, Default)]
pub struct MethodTrace(pub Vec<(u16, u32, u32, u32, u32)>);

impl MethodTrace {
    /// A thread enters a method.
    pub fn enter(&mut self, thread: u16, method: u32, ran: u32, wall: u32) {
        self.0.push((thread, method, 0, ran, wall));
    }

    /// It leaves one.
    pub fn leave(&mut self, thread: u16, method: u32, ran: u32, wall: u32) {
        self.0.push((thread, method, 1, ran, wall));
    }

    /// Main is idle, then handles a message: binds for 150 ms, in which it decodes for 60 and waits for 40.
    pub fn shop() -> MethodTrace {
        let mut plan = MethodTrace::default();
        let (main, other) = (MAIN, OTHER);
        // What was entered before the recording began is left in it.
        plan.leave(main, BIND, 10, 10);
        plan.enter(main, POLL, 20, 20);
        plan.enter(other, SYNC, 0, 5 * MS);
        plan.leave(main, POLL, 120, 500 * MS);
        plan.enter(main, DISPATCH, 150, 500 * MS + 30);
        plan.enter(main, BIND, 150, 500 * MS + 30);
        plan.enter(main, DECODE, 150 + 20 * MS, 520 * MS + 30);
        plan.leave(main, DECODE, 150 + 80 * MS, 580 * MS + 30);
        plan.enter(main, WAIT, 150 + 100 * MS, 600 * MS + 30);
        plan.leave(other, SYNC, 9 * MS, 639 * MS);
        plan.leave(main, WAIT, 150 + 100 * MS, 640 * MS + 30);
        plan.leave(main, BIND, 150 + 110 * MS, 650 * MS + 30);
        plan.leave(main, DISPATCH, 150 + 110 * MS, 650 * MS + 30);
        plan.enter(main, POLL, 200 + 110 * MS, 650 * MS + 80);
        plan.leave(main, POLL, 250 + 110 * MS, 900 * MS);
        plan
    }

    /// The file.
    pub fn written(&self, form: Form) -> Vec<u8> {
        let clock = match form {
            Form::Both | Form::Streamed => "dual",
            Form::Wall => "wall",
            Form::Thread => "thread-cpu",
        };
        let version: u16 = if clock == "dual" { 3 } else { 2 };
        let options =
            format!("data-file-overflow=false\nclock={clock}\nelapsed-time-usec=900000\nvm=art\npid=4242\n");
        let method = |(id, class, name, of): &(u32, &str, &str, &str)| {
            format!("{id:#x}\t{class}\t{name}\t{of}\t{}.java\n", class.rsplit('.').next().unwrap_or_default())
        };
        let mark = |version: u16| {
            let mut header = b"SLOW".to_vec();
            header.extend(version.to_le_bytes());
            header.extend(32_u16.to_le_bytes());
            header.extend(77_000_000_u64.to_le_bytes());
            header.extend(if version & 0xF == 3 { 14_u16 } else { 0 }.to_le_bytes());
            header.resize(32, 0);
            header
        };
        let record = |(thread, method, how, ran, wall): &(u16, u32, u32, u32, u32)| {
            let mut bytes = thread.to_le_bytes().to_vec();
            bytes.extend((method | how).to_le_bytes());
            for clock in match form {
                Form::Both | Form::Streamed => vec![*ran, *wall],
                Form::Wall => vec![*wall],
                Form::Thread => vec![*ran],
            } {
                bytes.extend(clock.to_le_bytes());
            }
            bytes
        };
        if form != Form::Streamed {
            let mut text =
                format!("*version\n{version}\n{options}*threads\n{MAIN}\tmain\n{OTHER}\tsync\n*methods\n");
            text.extend(METHODS.iter().map(method));
            let mut file = [text.as_bytes(), b"*end\n", &mark(version)].concat();
            file.extend(self.0.iter().flat_map(record));
            return file;
        }
        let mut file = mark(0xF0 | version);
        for (thread, name) in [(MAIN, "main"), (OTHER, "sync")] {
            file.extend([0, 0, 2]);
            file.extend(thread.to_le_bytes());
            file.extend(u16::try_from(name.len()).expect("short").to_le_bytes());
            file.extend(name.as_bytes());
        }
        let mut known = Vec::new();
        for one in &self.0 {
            if !known.contains(&one.1) {
                let line = METHODS.iter().find(|(id, ..)| *id == one.1).map(method).expect("a method");
                file.extend([0, 0, 1]);
                file.extend(u16::try_from(line.len()).expect("short").to_le_bytes());
                file.extend(line.as_bytes());
                known.push(one.1);
            }
            file.extend(record(one));
        }
        let summary = format!("*version\n{version}\n{options}*threads\n{MAIN}\tmain\n*methods\n*end\n");
        file.extend([0, 0, 3]);
        file.extend(u32::try_from(summary.len()).expect("short").to_le_bytes());
        file.extend(summary.as_bytes());
        file
    }
}
