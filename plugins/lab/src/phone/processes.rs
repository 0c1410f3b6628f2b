//! `ps`: who runs on the phone (docs/design/phones.md#state).

use super::command::{Answer, Running};
use super::packages::DEX2OAT_PID;
use super::state::Phone;
use crate::dumps::gfxinfo::{SYSTEMUI, SYSTEMUI_PID};
use std::collections::BTreeMap;

/// Most bytes of a command line that toybox reads.
const LINE: usize = 4_000;

/// Process id of the first program that the lab file names.
const OTHERS: u32 = 1_500;

/// Command lines by process id.
fn processes(phone: &Phone) -> BTreeMap<u32, String> {
    let mut all = BTreeMap::from([(1, "init second_stage".to_owned()), (SYSTEMUI_PID, SYSTEMUI.to_owned())]);
    for (place, app) in phone.sim.setup.apps.iter().enumerate() {
        if let Some(pid) = phone.sim.activities.processes.get(place).and_then(|process| process.pid) {
            all.insert(pid, app.id().to_owned());
        }
    }
    if phone.body.compiling {
        all.insert(DEX2OAT_PID, "/apex/com.android.art/bin/dex2oat64 --zip-fd=7 --oat-fd=9".to_owned());
    }
    let traces = phone.tracing.sessions.iter();
    all.extend(
        traces.map(|(pid, session)| (*pid, format!("{} {}", session.program.name(), session.argv.join(" ")))),
    );
    all.extend((OTHERS..).zip(phone.body.programs.iter().cloned()));
    all.extend(phone.shells.iter().map(|(pid, line)| (*pid, shown(line))));
    all
}

/// A command line as toybox prints it: on one line, up to a length.
fn shown(line: &str) -> String {
    let cut = line.floor_char_boundary(LINE);
    line[..cut].chars().map(|letter| if letter < ' ' { '?' } else { letter }).collect()
}

/// A signal for a shell: any ends it, 0 asks whether it is there. False when there is none.
pub(super) fn signal(phone: &mut Phone, pid: u32, signal: i32) -> bool {
    match signal {
        0 => phone.shells.contains_key(&pid),
        _ => phone.shells.remove(&pid).is_some(),
    }
}

/// `ps -A -w -o PID,ARGS`, and the bare `ps` of Android 7.
pub(super) fn ps(phone: &mut Phone, arguments: &[String]) -> Running {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let is_old = phone.sim.setup.archetype.sdk < 26;
    let all = processes(phone);
    let answer = match words.as_slice() {
        [] if is_old => {
            let head = "USER      PID   PPID  VSIZE  RSS   WCHAN              PC  NAME\n".to_owned();
            let line = |(pid, line): (&u32, &String)| {
                let name = line.split(' ').next().unwrap_or_default();
                format!("shell     {pid:<5} 1     9048   1772  SyS_epoll_ 0000000000 S {name}\n")
            };
            Answer::said(head + &all.iter().map(line).collect::<String>())
        }
        ["-A", "-w", "-o", "PID,ARGS"] if !is_old => {
            let lines = all.iter().map(|(pid, line)| format!("{pid:>5} {line}\n"));
            Answer::said("  PID ARGS\n".to_owned() + &lines.collect::<String>())
        }
        _ => Answer::failed("ps: bad arguments\n", 1),
    };
    phone.native(answer)
}
