//! A `perf.data` file with what a test needs of it: two events (`cpu-clock` and leaving the CPU), maps, symbols.

/// Kinds of files symbols are of.
pub const ELF: u32 = 2;
/// Managed code.
pub const DEX: u32 = 3;

/// Fields of every sample: identifier, address, thread, time, CPU, period, stack.
const SAMPLE_TYPE: u64 = 1 << 16 | 1 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 8 | 1 << 5;
/// Other records end with thread, time, CPU and identifier.
const SAMPLE_ID_ALL: u64 = 1 << 18;
const HEADER: u64 = 104;
const ENTRY: u64 = 128 + 16;
const CLOCK: u64 = 101;
const SWITCH: u64 = 102;

/// A file on its way.
#[derive(Clone, Debug, Default)]
pub struct PerfFile {
    records: Vec<u8>,
    files: Vec<u8>,
    about: Vec<u8>,
}

impl PerfFile {
    /// Of an app; it tells of leaving the CPU, or not.
    pub fn of(app: &str, off_cpu: bool) -> PerfFile {
        let events = "cpu-clock,1,0\nsched:sched_switch,2,45";
        let about = format!("app_package_name\0{app}\0trace_offcpu\0{off_cpu}\0event_type_info\0{events}\0");
        PerfFile { about: about.into_bytes(), ..PerfFile::default() }
    }

    /// The kernel calls a process's main thread so.
    pub fn comm(&mut self, process: i32, name: &str) {
        let mut body = [process.to_le_bytes(), process.to_le_bytes()].concat();
        body.extend(name.as_bytes());
        body.push(0);
        self.stamped(3, 0, body, process, 0);
    }

    /// Code of a file lies there.
    pub fn map(&mut self, process: i32, start: u64, length: u64, file: &str) {
        let mut body = [process.to_le_bytes(), process.to_le_bytes()].concat();
        [start, length, 0, 0, 0, 0].iter().for_each(|number| body.extend(number.to_le_bytes()));
        body.extend([5_u32.to_le_bytes(), 2_u32.to_le_bytes()].concat());
        body.extend(file.as_bytes());
        body.push(0);
        self.stamped(10, 2, body, process, 0);
    }

    /// A thread ran for so long since it was looked at before; addresses of its stack, the innermost first.
    pub fn ran(&mut self, process: i32, thread: i32, at: u64, ns: u64, calls: &[u64]) {
        self.sample(CLOCK, (process, thread), at, ns, calls);
    }

    /// A thread left its CPU.
    pub fn left(&mut self, process: i32, thread: i32, at: u64, calls: &[u64]) {
        self.sample(SWITCH, (process, thread), at, 1, calls);
    }

    /// A main thread runs again.
    pub fn back(&mut self, process: i32, at: u64) {
        self.stamped(14, 0, Vec::new(), process, at);
    }

    /// The kernel lost samples.
    pub fn lost(&mut self, count: u64) {
        let body = [CLOCK.to_le_bytes(), count.to_le_bytes()].concat();
        self.stamped(2, 0, body, 1, 0);
    }

    /// Symbols of a file: address, length and name.
    pub fn symbols(&mut self, file: &str, kind: u32, symbols: &[(u64, u64, &str)]) {
        let mut message = Vec::new();
        bytes(&mut message, 1, file.as_bytes());
        number(&mut message, 2, u64::from(kind));
        for (at, length, name) in symbols {
            let mut symbol = Vec::new();
            number(&mut symbol, 1, *at);
            number(&mut symbol, 2, *length);
            bytes(&mut symbol, 3, name.as_bytes());
            bytes(&mut message, 4, &symbol);
        }
        self.files.extend(u32::try_from(message.len()).expect("a short file").to_le_bytes());
        self.files.extend(message);
    }

    /// The file.
    pub fn written(&self) -> Vec<u8> {
        let data = HEADER + 2 * ENTRY + 16;
        let features = data + self.records.len() as u64;
        let about = features + 32;
        let files = about + self.about.len() as u64;
        let mut out = b"PERFILE2".to_vec();
        let mut put = |numbers: &[u64]| numbers.iter().for_each(|one| out.extend(one.to_le_bytes()));
        put(&[HEADER, ENTRY, HEADER, 2 * ENTRY, data, self.records.len() as u64, 0, 0]);
        // Features 129 (about) and 132 (symbols).
        put(&[0, 0, 1 << 1 | 1 << 4, 0]);
        for (nth, (kind, config)) in [(1, 0), (2, 45)].into_iter().enumerate() {
            put(&[kind | 128 << 32, config, 1, SAMPLE_TYPE, 0, SAMPLE_ID_ALL]);
            put(&[0; 10]);
            put(&[HEADER + 2 * ENTRY + 8 * nth as u64, 8]);
        }
        put(&[CLOCK, SWITCH]);
        out.extend(&self.records);
        for number in [about, self.about.len() as u64, files, self.files.len() as u64] {
            out.extend(number.to_le_bytes());
        }
        out.extend(&self.about);
        out.extend(&self.files);
        out
    }

    fn sample(&mut self, event: u64, (process, thread): (i32, i32), at: u64, period: u64, calls: &[u64]) {
        let mut body = Vec::new();
        let ip = calls.first().copied().unwrap_or(0);
        [event, ip].iter().for_each(|number| body.extend(number.to_le_bytes()));
        body.extend([process.to_le_bytes(), thread.to_le_bytes()].concat());
        [at, 0, period, calls.len() as u64].iter().for_each(|number| body.extend(number.to_le_bytes()));
        calls.iter().for_each(|address| body.extend(address.to_le_bytes()));
        self.record(9, 2, &body);
    }

    fn stamped(&mut self, kind: u32, misc: u16, mut body: Vec<u8>, thread: i32, at: u64) {
        body.resize(body.len().next_multiple_of(8), 0);
        body.extend([thread.to_le_bytes(), thread.to_le_bytes()].concat());
        [at, 0, CLOCK].iter().for_each(|number| body.extend(number.to_le_bytes()));
        self.record(kind, misc, &body);
    }

    fn record(&mut self, kind: u32, misc: u16, body: &[u8]) {
        self.records.extend(kind.to_le_bytes());
        self.records.extend(misc.to_le_bytes());
        self.records.extend(u16::try_from(body.len() + 8).expect("a short record").to_le_bytes());
        self.records.extend(body);
    }
}

fn number(message: &mut Vec<u8>, field: u64, value: u64) {
    varint(message, field << 3);
    varint(message, value);
}

fn bytes(message: &mut Vec<u8>, field: u64, value: &[u8]) {
    varint(message, field << 3 | 2);
    varint(message, value.len() as u64);
    message.extend(value);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
