//! Which pages keep a pace, and what is said of them.

use super::*;
use crate::event::WindowMeasured;
use crate::framestats::{FrameStats, RenderStages};
use crate::metrics::samples::window;
use crate::time::DeviceTime;

const P120: i64 = 8_333_333;

/// Frames of so many refreshes of 120 Hz, counted against a target.
fn shown(lengths: &[i64], target: Option<f64>) -> Window {
    let mut window = window(P120, &lengths.iter().map(|length| length * P120).collect::<Vec<_>>());
    schedule::hold(&mut window.intervals, target);
    window
}

fn fps(lengths: &[i64], target: Option<f64>) -> Option<f64> {
    pace(&shown(lengths, target), target).map(|pace| pace.fps)
}

fn said(window: &Window, target: Option<f64>) -> String {
    let one = WindowMeasured { pace: pace(window, target), ..WindowMeasured::default() };
    notice("play", &[one.pace.as_ref()]).unwrap()
}

#[test]
fn a_steady_share_of_the_refreshes_is_a_pace() {
    assert_eq!(fps(&[4; 40], None), Some(30.0));
    assert_eq!(fps(&[2; 40], None), Some(60.0));
    assert_eq!(fps(&[[4; 8].as_slice(), &[7, 9]].concat().repeat(4), None), Some(30.0));
    assert_eq!(fps(&[2, 3].repeat(20), None), Some(48.0));
    assert_eq!(fps(&[1, 2].repeat(20), None), Some(80.0));
}

#[test]
fn what_keeps_no_pace_or_the_one_declared_is_none() {
    assert_eq!(fps(&[1; 40], None), None);
    assert_eq!(fps(&[1, 1, 1, 2, 1, 1, 1, 1, 5, 1].repeat(4), None), None);
    assert_eq!(fps(&[4, 4, 1, 2, 9, 4, 3, 1].repeat(5), None), None);
    // By chance five or six refreshes a frame.
    assert_eq!(fps(&[5, 6, 6, 6, 5, 5, 6, 5, 5, 5, 5, 6, 6, 6, 6, 5].repeat(3), None), None);
    assert_eq!(fps(&[4; 19], None), None, "too few frames");
    assert_eq!(fps(&[4; 40], Some(30.0)), None);
    assert_eq!(fps(&[2, 3].repeat(20), Some(48.0)), None);
    assert_eq!(fps(&[1; 40], Some(240.0)), None, "more than the panel shows");
    let mut unsure = shown(&[4; 40], None);
    unsure.coverage.period_uncertain = Span::from_ns(40 * 4 * P120);
    assert_eq!(pace(&unsure, None), None);
}

#[test]
fn a_page_without_a_target_is_told_what_to_say_and_what_it_costs() {
    let mut window = shown(&[4; 40], None);
    let doubted = "play: looks like a 30 fps page on a 120 Hz panel; say `target_fps: 30` if it means to be (0.0 ms/s of hitches), \
                   or it counts as 750 ms/s; nothing here tells a slow page from a panel that follows the content";
    assert_eq!(said(&window, None), doubted);
    window.beside.framestats = Some(stages(P120));
    let sure = doubted.split("; nothing").next().unwrap();
    assert_eq!(said(&window, None), sure);
    window.beside.framestats = Some(stages(4 * P120));
    let slowed = "; the phone itself gave the page 30 turns a second: a panel that follows the content, a vote of the app, or \
                  power saving";
    assert_eq!(said(&window, None), format!("{sure}{slowed}"));
}

#[test]
fn a_target_the_page_does_not_run_at_is_told() {
    let slow = said(&shown(&[4; 40], Some(60.0)), Some(60.0));
    assert!(slow.starts_with("play: the scenario says `target_fps: 60`, the page keeps 30 fps on a 120 Hz panel: it is too slow"), "{slow}");
    assert!(slow.contains("(500 ms/s of hitches), or means 30 fps (0.0 ms/s)"), "{slow}");
    let fast = said(&shown(&[1; 40], Some(60.0)), Some(60.0));
    assert!(fast.contains("the page runs at 120 fps on a 120 Hz panel; say `target_fps: 120`"), "{fast}");
}

#[test]
fn half_of_the_iterations_must_agree() {
    let of = |lengths: &[i64]| WindowMeasured {
        pace: pace(&shown(lengths, None), None),
        ..WindowMeasured::default()
    };
    let slow = of(&[4; 40]);
    let fast = of(&[1; 40]);
    let other = of(&[3; 40]);
    assert!(notice("play", &[slow.pace.as_ref(), fast.pace.as_ref()]).is_some());
    assert!(notice("play", &[slow.pace.as_ref(), fast.pace.as_ref(), fast.pace.as_ref()]).is_none());
    assert!(notice("play", &[slow.pace.as_ref(), other.pace.as_ref(), fast.pace.as_ref()]).is_none());
    assert!(notice("play", &[]).is_none());
}

/// Drawn frames whose renderer believed in this interval.
fn stages(interval: i64) -> RenderStages {
    let at = DeviceTime::from_ns(1);
    let frame = FrameStats {
        flags: 0,
        vsync_id: None,
        intended: at,
        vsync: None,
        oldest_input: None,
        handle_input: None,
        animation: None,
        traversals: None,
        draw: None,
        sync_queued: None,
        sync_start: None,
        issue: None,
        swap: None,
        swap_completed: None,
        submitted: None,
        gpu_completed: None,
        completed: at,
        deadline: None,
        displayed: None,
        interval: Some(Span::from_ns(interval)),
        started: None,
        workload: None,
        dequeue: None,
        queue: None,
    };
    RenderStages { frames: vec![frame; 3], proved: true, ..RenderStages::default() }
}
