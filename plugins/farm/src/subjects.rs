//! The names of things on the server. Every part of one is a word that means itself alone.
//!
//! Must not know: servers. What is refused here reaches no server.

use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode};

/// Longest part of a name, bytes.
const LONGEST: usize = 128;
/// The kind of leases that hosts hold.
const HOSTS: &str = "agent";
/// The number of a line that has none.
const UNNUMBERED: &str = "_";

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a part of a name is one: letters, digits, `-` and `_`. The server reads `.`, `*` and `>` as more.
pub fn is_word(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    !text.is_empty() && text.len() <= LONGEST && text.bytes().all(plain)
}

/// The same, or a fault that says which.
///
/// # Errors
/// `usage`: it is none.
pub fn word<'t>(what: &str, text: &'t str) -> Result<&'t str, Fault> {
    if is_word(text) {
        return Ok(text);
    }
    let told = format!("`{}` cannot be the name of a {what} of a farm", line(text, 60));
    Err(Fault::new(FaultCode::Usage, told)
        .advise(format!("use letters, digits, `-` and `_`, at most {LONGEST} of them")))
}

/// Any text as a word: what is no letter, digit or `-` becomes `_` and its number.
pub fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut all, c| {
        match c {
            c if c.is_ascii_alphanumeric() || c == '-' => all.push(c),
            c => all.push_str(&format!("_{:x}_", u32::from(c))),
        }
        all
    })
}

/// The names of one team's things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    team: String,
}

impl Names {
    /// Stream of offers.
    pub const WORK: &'static str = "FJ_WORK";
    /// Bucket of leases.
    pub const LEASES: &'static str = "KV_FJ_LEASES";
    /// What a subject of any team's log begins with.
    const LOG: &'static str = "fj.log";

    /// Of this team.
    ///
    /// # Errors
    /// `usage`: that is no name.
    pub fn of(team: &str) -> Result<Names, Fault> {
        Ok(Names { team: word("team", team)?.to_owned() })
    }

    /// Stream of the team's logs.
    pub fn logs(&self) -> String {
        format!("FJ_LOG_{}", self.team)
    }

    /// Stream of the team's objects.
    pub fn objects(&self) -> String {
        format!("FJ_OBJ_{}", self.team)
    }

    /// A part of an object, or `*` for all.
    pub fn object(&self, digest: &str, part: &str) -> String {
        format!("fj.obj.{}.{digest}.{part}", self.team)
    }

    /// The team.
    pub fn team(&self) -> &str {
        &self.team
    }

    /// Every subject of the team's logs.
    pub fn all_logs(&self) -> String {
        self.logs_of("*")
    }

    /// Every line of a writer, in any run; or of all (`*`).
    pub fn logs_of(&self, writer: &str) -> String {
        format!("{}.{}.*.*.{writer}.*", Names::LOG, self.team)
    }

    /// Every line of a run, its head and all generations included.
    pub fn all_of(&self, run: &str) -> String {
        format!("{}.{}.{run}.>", Names::LOG, self.team)
    }

    /// Every line of a run's generation.
    pub fn lines(&self, run: &str, generation: u32) -> String {
        format!("{}.{}.{run}.{generation}.*.*", Names::LOG, self.team)
    }

    /// One line. Who writes it is a part of its own, for a right to write is given by parts: `0003-rack` is the line of
    /// `rack`, number 0003.
    pub fn log(&self, run: &str, generation: u32, line: &str) -> String {
        let (writer, number) = match line.split_once('-') {
            Some((number, writer)) if is_number(number) && !writer.is_empty() => (writer, number),
            _ => (line, UNNUMBERED),
        };
        format!("{}.{}.{run}.{generation}.{writer}.{number}", Names::LOG, self.team)
    }

    /// The line a subject is of.
    pub fn line_of(subject: &str) -> String {
        let mut parts = subject.rsplit('.');
        let (number, writer) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if is_number(number) { format!("{number}-{writer}") } else { writer.to_owned() }
    }

    /// The run a subject of a line is of.
    pub fn run_of(subject: &str) -> Option<String> {
        subject.split('.').nth(3).map(str::to_owned)
    }

    /// Every host's offers.
    pub fn all_work() -> &'static str {
        "fj.work.*"
    }

    /// Every lease.
    pub fn all_leases() -> &'static str {
        "$KV.FJ_LEASES.>"
    }

    /// A lease: of a host on the whole farm, for two teams' hosts of one name would take each other's work; all others
    /// of the team.
    pub fn lease(&self, key: &str) -> String {
        match key.split_once('.') {
            Some((kind, name)) if kind != HOSTS => format!("$KV.FJ_LEASES.{kind}.{}.{name}", self.team),
            _ => format!("$KV.FJ_LEASES.{key}"),
        }
    }

    /// A host's offers.
    pub fn work(host: &str) -> String {
        format!("fj.work.{host}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_itself_alone() {
        for good in ["rack-3", "20260301-120000-5eed7a", "a_b", "7"] {
            assert!(is_word(good), "{good}");
        }
        let long = "x".repeat(129);
        for bad in ["", "a.b", "*", ">", "a b", "rack\n", "café", "$JS", "a/b", &long] {
            assert!(!is_word(bad), "{bad}");
            assert_eq!(word("host", bad).expect_err(bad).code, FaultCode::Usage);
        }
    }

    #[test]
    fn any_serial_becomes_a_word_and_two_never_the_same() {
        let serials = ["emulator-5554", "10.0.0.7:5555", "10_0_0_7_5555", "10.0.0.7-5555", "é", "_2e_", "."];
        let words: std::collections::BTreeSet<String> = serials.iter().map(|text| escaped(text)).collect();
        assert_eq!(words.len(), serials.len());
        assert!(words.iter().all(|word| is_word(word)), "{words:?}");
    }

    #[test]
    fn the_line_is_read_from_its_subject_and_its_writer_is_a_part_of_its_own() {
        let names = Names::of("pay").expect("a word");
        assert_eq!(names.log("r", 2, "0003-rack-3"), "fj.log.pay.r.2.rack-3.0003");
        for line in ["rack-3", "0003-rack-3", "0003-7", "_opening", "7", "7-", "-7", "0007-0008-x"] {
            assert_eq!(Names::line_of(&names.log("r", 2, line)), line);
            assert_eq!(Names::run_of(&names.log("r", 2, line)).as_deref(), Some("r"));
        }
    }

    #[test]
    fn leases_are_of_the_team_but_for_those_of_hosts() {
        let names = Names::of("pay").expect("a word");
        assert_eq!(names.lease("agent.rack"), "$KV.FJ_LEASES.agent.rack");
        assert_eq!(names.lease("run.r"), "$KV.FJ_LEASES.run.pay.r");
        assert_eq!(names.lease("run."), "$KV.FJ_LEASES.run.pay.");
    }
}
