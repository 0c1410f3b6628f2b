//! `dumpsys activity …`, short: what is resumed, and which processes run.

use super::{Scene, line};
use crate::phone_sim::activities::Front;

/// Writes the answer to the arguments after `activity`.
pub fn activity(scene: &Scene<'_>, arguments: &[String], out: &mut Vec<u8>) {
    match arguments.first().map(String::as_str) {
        Some("processes" | "p") => processes(scene, out),
        _ => activities(scene, out),
    }
}

fn activities(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let sim = scene.sim;
    line!(out, "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)");
    line!(out, "Display #0 (activities from top to bottom):");
    let record = match sim.activities.front {
        Front::Launcher => "ActivityRecord{51f0ab3 u0 com.android.launcher3/.Launcher t1}".to_owned(),
        Front::Window(index) => match sim.activities.window(index) {
            Some(window) => format!(
                "ActivityRecord{{{:07x} u0 {} t{}}}",
                window.hash ^ 0x002a_51c3,
                sim.setup.apps[window.app].short(window.page),
                window.task
            ),
            None => "null".to_owned(),
        },
    };
    let name = match scene.archetype().sdk {
        ..=30 => "mResumedActivity: ",
        _ => "topResumedActivity=",
    };
    line!(out, "    {name}{record}");
    line!(out, "  ResumedActivity: {record}");
}

fn processes(scene: &Scene<'_>, out: &mut Vec<u8>) {
    line!(out, "ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)");
    for (app, process) in scene.sim.activities.processes.iter().enumerate() {
        if let Some(pid) = process.pid {
            let id = scene.sim.setup.apps[app].id();
            line!(
                out,
                "  *APP* UID {} ProcessRecord{{{:07x} {pid}:{id}/u0a{}}}",
                10_100 + app,
                pid * 977,
                100 + app
            );
            line!(out, "    pid={pid}");
        }
    }
}
