//! What a shell remembers between commands, and which process it is. Both are copied by `fork`.

use super::syntax::Command;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Variables, functions, parameters, and where it stands.
#[derive(Clone)]
pub(super) struct Environment {
    /// What it calls itself in complaints, `$0`.
    pub name: Rc<str>,
    /// Variables, exported or not.
    pub vars: BTreeMap<String, String>,
    /// Functions by name.
    pub functions: BTreeMap<String, Rc<Command>>,
    /// `$1` and on.
    pub params: Vec<String>,
    /// Working directory, absolute.
    pub cwd: String,
}

impl Environment {
    /// As adbd starts a shell.
    pub(crate) fn of_adbd() -> Environment {
        let vars = [
            ("HOME", "/"),
            ("PATH", "/product/bin:/apex/com.android.runtime/bin:/system/bin:/vendor/bin"),
            ("USER", "shell"),
        ];
        Environment {
            name: "/system/bin/sh".into(),
            vars: vars.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            functions: BTreeMap::new(),
            params: Vec::new(),
            cwd: "/".to_owned(),
        }
    }

    /// The characters that separate fields.
    pub(crate) fn separators(&self) -> Cow<'static, str> {
        self.vars.get("IFS").map_or(Cow::Borrowed(" \t\n"), |own| Cow::Owned(own.clone()))
    }
}

/// Which process a shell is.
#[derive(Clone, Copy)]
pub(super) struct Process {
    /// `$$`.
    pub pid: u32,
    /// `$!`.
    pub last_job: Option<u32>,
    /// The background job this process belongs to.
    pub job: Option<u32>,
    /// Functions and subshells it is inside of.
    pub depth: u32,
}
