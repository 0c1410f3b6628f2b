//! Intents as `am` and `cmd package` take them on their command lines, and as phones print them.

/// What was asked to start. One field for each option of `am start`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intent {
    /// `-a`
    pub action: Option<String>,
    /// `-c`, in order.
    pub categories: Vec<String>,
    /// `-d`
    pub data: Option<String>,
    /// `-t`
    pub kind: Option<String>,
    /// `-f`
    pub flags: u32,
    /// `-n`, or a trailing `pkg/.Class`: package and class.
    pub component: Option<(String, String)>,
    /// `-p`, or a trailing package.
    pub package: Option<String>,
    /// `--es` and its like were given.
    pub extras: bool,
    /// `-W`
    pub wait: bool,
    /// `-S`
    pub stop: bool,
}

/// The action of a launcher.
pub const MAIN: &str = "android.intent.action.MAIN";
/// The category of a launcher.
pub const LAUNCHER: &str = "android.intent.category.LAUNCHER";

/// What the phone says of arguments that make no intent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IntentError {
    /// An option without what should follow it.
    #[error("Argument expected after \"{0}\"")]
    Argument(String),
    /// No component.
    #[error("Bad component name: {0}")]
    Component(String),
    /// No number.
    #[error("Invalid number: {0}")]
    Number(String),
    /// An option nobody knows.
    #[error("Unknown option: {0}")]
    Option(String),
}

impl Intent {
    /// Reads arguments.
    ///
    /// # Errors
    /// What the phone says of them.
    pub fn read(arguments: &[String]) -> Result<Intent, IntentError> {
        let mut intent = Intent::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut next = || words.next().cloned().ok_or_else(|| IntentError::Argument(word.clone()));
            match word.as_str() {
                "-W" => intent.wait = true,
                "-S" => intent.stop = true,
                "-a" => intent.action = Some(next()?),
                "-c" => intent.categories.push(next()?),
                "-d" => intent.data = Some(next()?),
                "-t" => intent.kind = Some(next()?),
                "-p" => intent.package = Some(next()?),
                "-n" => {
                    let name = next()?;
                    intent.component = Some(component(&name).ok_or(IntentError::Component(name))?);
                }
                "-f" => {
                    let flags = next()?;
                    intent.flags = number(&flags).ok_or(IntentError::Number(flags))?;
                }
                "-R" | "--user" | "--display" | "--windowingMode" | "-P" | "--start-profiler"
                | "--sampling" => {
                    next()?;
                }
                "--es" | "--ez" | "--ei" | "--el" | "--ef" | "--eu" | "-e" => {
                    next()?;
                    next()?;
                    intent.extras = true;
                }
                "--esn" => {
                    next()?;
                    intent.extras = true;
                }
                "-D"
                | "-N"
                | "--brief"
                | "--activity-clear-task"
                | "--activity-clear-top"
                | "--activity-single-top"
                | "--streaming" => {}
                flag if flag.starts_with('-') => return Err(IntentError::Option(flag.to_owned())),
                target => intent.trailing(target),
            }
        }
        Ok(intent)
    }

    /// The last argument: a link, a component or a package.
    fn trailing(&mut self, target: &str) {
        if target.contains(':') {
            self.data = Some(target.to_owned());
        } else if let Some(component) = component(target) {
            self.component = Some(component);
        } else {
            self.package = Some(target.to_owned());
            if self.action.is_none() && self.data.is_none() {
                self.action = Some(MAIN.to_owned());
                self.categories.push(LAUNCHER.to_owned());
            }
        }
    }

    /// It asks for what a launcher starts.
    pub(crate) fn is_launcher(&self) -> bool {
        self.action.as_deref() == Some(MAIN) && self.categories.iter().any(|category| category == LAUNCHER)
    }

    /// As phones print it: `Intent { act=… dat=… cmp=… }`.
    pub fn text(&self, flags: u32) -> String {
        let mut parts = Vec::new();
        if let Some(action) = &self.action {
            parts.push(format!("act={action}"));
        }
        if !self.categories.is_empty() {
            parts.push(format!("cat=[{}]", self.categories.join(",")));
        }
        if let Some(data) = &self.data {
            parts.push(format!("dat={data}"));
        }
        if let Some(kind) = &self.kind {
            parts.push(format!("typ={kind}"));
        }
        if self.flags | flags != 0 {
            parts.push(format!("flg=0x{:x}", self.flags | flags));
        }
        if let Some(package) = &self.package {
            parts.push(format!("pkg={package}"));
        }
        if let Some((package, class)) = &self.component {
            parts.push(format!(
                "cmp={package}/{}",
                class.strip_prefix(package.as_str()).filter(|rest| rest.starts_with('.')).unwrap_or(class)
            ));
        }
        if self.extras {
            parts.push("(has extras)".to_owned());
        }
        format!("Intent {{ {} }}", parts.join(" "))
    }
}

fn component(name: &str) -> Option<(String, String)> {
    let (package, class) = name.split_once('/')?;
    if package.is_empty() || class.is_empty() {
        return None;
    }
    let class = if class.starts_with('.') { format!("{package}{class}") } else { class.to_owned() };
    Some((package.to_owned(), class))
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Intent {
        Intent::read(&line.split(' ').map(str::to_owned).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn an_intent_prints_as_it_was_asked_for() {
        let intent = read("-W -a android.intent.action.VIEW -d shop://product/42 com.example.shop");
        assert!(intent.wait);
        assert_eq!(
            intent.text(0),
            "Intent { act=android.intent.action.VIEW dat=shop://product/42 pkg=com.example.shop }"
        );
        let intent = read("-n com.a/com.a.Main -S");
        assert_eq!(
            (intent.text(0x1000_0000), intent.stop),
            ("Intent { flg=0x10000000 cmp=com.a/.Main }".to_owned(), true)
        );
        assert!(read("com.a").is_launcher());
    }
}
