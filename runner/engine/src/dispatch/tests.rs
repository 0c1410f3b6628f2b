//! What the dispatcher owes its jobs: each is judged once, each phone has its turn, and a lost phone is waited for.

use super::*;
use proptest::prelude::*;

pub(super) fn id(name: &str) -> DeviceId {
    DeviceId(name.into())
}

pub(super) fn at(secs: i64) -> RunTime {
    RunTime::from_ns(secs * 1_000_000_000)
}

pub(super) fn plan(devices: &[&str]) -> Vec<PlannedJob> {
    let job = |(job, device): (usize, &&str)| PlannedJob {
        job: job as JobId,
        scenario: "s".into(),
        file: "s.yaml".into(),
        hash: String::new(),
        app: "com.a".into(),
        tags: vec![],
        device: Some(id(device)),
        iterations: 1,
        warmup: 0,
        windows: vec![],
        ..PlannedJob::default()
    };
    devices.iter().enumerate().map(job).collect()
}

pub(super) fn rules() -> Rules {
    Rules { absence: Span::from_ms(60_000), retries: 2, backoff: Span::from_ms(2_000), most_running: 8 }
}

fn lab() -> Fault {
    Fault::new(FaultCode::DeviceLost, "gone").passing()
}

#[test]
fn phones_run_side_by_side_and_their_jobs_in_order() {
    let mut dispatch = Dispatch::new(rules(), &plan(&["a", "a", "b"]));
    assert_eq!(dispatch.step(at(0), Input::Present(id("a"))), [Order::Start(0, id("a"))]);
    assert_eq!(dispatch.step(at(0), Input::Present(id("b"))), [Order::Start(2, id("b"))]);
    let orders = dispatch.step(at(9), Input::Ended(0, None));
    assert_eq!(orders, [Order::Judge(0, None), Order::Start(1, id("a"))]);
}

#[test]
fn a_phone_that_comes_back_goes_on_with_its_job() {
    let mut dispatch = Dispatch::new(rules(), &plan(&["a"]));
    dispatch.step(at(0), Input::Present(id("a")));
    dispatch.step(at(5), Input::Gone(id("a"), "unplugged".into()));
    assert!(matches!(dispatch.step(at(5), Input::Ended(0, Some(lab())))[..], [Order::Queue(0, _)]));
    assert_eq!(dispatch.next_tick(), Some(at(65)));
    assert_eq!(dispatch.step(at(20), Input::Present(id("a"))), [Order::Start(0, id("a"))]);
}

#[test]
fn a_cable_out_for_seconds_costs_no_try_whichever_is_told_first() {
    let mut dispatch = Dispatch::new(rules(), &plan(&["a"]));
    dispatch.step(at(0), Input::Present(id("a")));
    for round in 0..5 {
        let (gone, ended) = (Input::Gone(id("a"), "unplugged".into()), Input::Ended(0, Some(lab())));
        let inputs = if round % 2 == 0 { [gone, ended] } else { [ended, gone] };
        for input in inputs {
            let orders = dispatch.step(at(10 * round + 5), input);
            assert!(orders.iter().all(|order| matches!(order, Order::Queue(0, _))), "{orders:?}");
        }
        assert_eq!(dispatch.step(at(10 * round + 9), Input::Present(id("a"))), [Order::Start(0, id("a"))]);
    }
    assert!(dispatch.retries.values().all(|used| *used == 0));
}

#[test]
fn a_cable_that_goes_again_and_again_ends_the_job() {
    let mut dispatch = Dispatch::new(rules(), &plan(&["a"]));
    dispatch.step(at(0), Input::Present(id("a")));
    let judged = (0..40).any(|round| {
        dispatch.step(at(10 * round + 5), Input::Gone(id("a"), "unplugged".into()));
        let orders = dispatch.step(at(10 * round + 5), Input::Ended(0, Some(lab())));
        dispatch.step(at(10 * round + 9), Input::Present(id("a")));
        matches!(orders[..], [Order::Judge(0, Some(_))])
    });
    assert!(judged);
}

#[test]
fn a_phone_another_run_uses_is_waited_for_however_long_that_takes() {
    let mut dispatch = Dispatch::new(rules(), &plan(&["a", "b"]));
    let orders = dispatch.step(at(0), Input::Held(id("a"), "a is used by another".into()));
    assert_eq!(orders, [Order::Queue(0, "a is used by another".into())]);
    dispatch.step(at(0), Input::Present(id("b")));
    dispatch.step(at(9), Input::Ended(1, None));
    assert_eq!((dispatch.next_tick(), dispatch.is_done()), (None, false));
    assert!(dispatch.step(at(9_000), Input::Tick).is_empty());
    assert_eq!(dispatch.step(at(9_001), Input::Present(id("a"))), [Order::Start(0, id("a"))]);
}

#[test]
fn a_phone_that_is_not_to_be_had_breaks_its_jobs_and_no_others() {
    let mut dispatch = Dispatch::new(rules(), &plan(&["a", "a", "b"]));
    let in_use = Fault::new(FaultCode::DeviceInUse, "a is used by another");
    let orders = dispatch.step(at(0), Input::Refused(id("a"), in_use.clone()));
    assert_eq!(orders, [Order::Judge(0, Some(in_use.clone())), Order::Judge(1, Some(in_use))]);
    assert_eq!(dispatch.step(at(0), Input::Present(id("b"))), [Order::Start(2, id("b"))]);
    assert!(!dispatch.has_work(&id("a")) && dispatch.has_work(&id("b")));
}

#[test]
fn a_phone_that_stays_away_breaks_its_jobs() {
    let mut dispatch = Dispatch::new(rules(), &plan(&["a", "a"]));
    dispatch.step(at(0), Input::Present(id("a")));
    dispatch.step(at(5), Input::Gone(id("a"), "unplugged".into()));
    dispatch.step(at(5), Input::Ended(0, Some(lab())));
    let orders = dispatch.step(at(65), Input::Tick);
    assert_eq!(orders.len(), 2);
    assert!(
        orders
            .iter()
            .all(|order| matches!(order, Order::Judge(_, Some(fault)) if fault.code.word() == "device_lost"))
    );
    assert!(dispatch.is_done());
}

#[test]
fn a_lasting_or_app_fault_is_never_retried() {
    for fault in [Fault::new(FaultCode::AppCrashed, "x").passing(), Fault::new(FaultCode::Locked, "x")] {
        let mut dispatch = Dispatch::new(rules(), &plan(&["a"]));
        dispatch.step(at(0), Input::Present(id("a")));
        let orders = dispatch.step(at(1), Input::Ended(0, Some(fault.clone())));
        assert_eq!(orders, [Order::Judge(0, Some(fault))]);
    }
}

#[test]
fn a_phone_that_waits_for_a_place_asks_for_no_tick() {
    let mut dispatch = Dispatch::new(Rules { most_running: 1, ..rules() }, &plan(&["a", "b"]));
    dispatch.step(at(0), Input::Present(id("a")));
    dispatch.step(at(0), Input::Present(id("b")));
    assert_eq!(dispatch.next_tick(), None);
    assert_eq!(
        dispatch.step(at(5), Input::Ended(0, None)),
        [Order::Judge(0, None), Order::Start(1, id("b"))]
    );
}

#[test]
fn the_budget_of_retries_ends() {
    let mut dispatch = Dispatch::new(rules(), &plan(&["a"]));
    dispatch.step(at(0), Input::Present(id("a")));
    for now in [10, 20] {
        dispatch.step(at(now), Input::Ended(0, Some(lab())));
        assert_eq!(dispatch.step(at(now + 1), Input::Tick), [], "backing off");
        assert_eq!(dispatch.step(at(now + 2), Input::Tick), [Order::Start(0, id("a"))]);
    }
    assert_eq!(dispatch.step(at(30), Input::Ended(0, Some(lab()))), [Order::Judge(0, Some(lab()))]);
}

proptest! {
    /// Whatever happens in whatever order, every job is judged exactly once and the dispatcher ends.
    #[test]
    fn no_job_is_lost(steps in prop::collection::vec((0u8..9, 0usize..4, 0i64..40), 0..60), most in 1usize..4) {
        let names = ["a", "b", "c", "d"];
        let mut jobs = plan(&["a", "b", "a", "c", "c", "b", "a"]);
        jobs[0].spares = vec![id("d"), id("b")];
        jobs[2].spares = vec![id("b"), id("c"), id("d")];
        jobs[4].spares = vec![id("d")];
        let mut dispatch = Dispatch::new(Rules { most_running: most, ..rules() }, &jobs);
        let mut judged = vec![0; jobs.len()];
        let mut running: Vec<JobId> = Vec::new();
        let mut places: BTreeMap<JobId, DeviceId> = BTreeMap::new();
        let mut now = 0;
        let mut take = |orders: Vec<Order>, running: &mut Vec<JobId>| for order in orders {
            match order {
                Order::Start(job, on) => {
                    assert!(places.insert(job, on.clone()).is_none_or(|known| known == on), "it moved unsaid");
                    assert!(!running.iter().any(|other| places[other] == on), "two jobs on {on}");
                    running.push(job);
                }
                Order::Judge(job, _) => judged[job as usize] += 1,
                Order::Move(job, from, to, _) => {
                    assert!(places.insert(job, to).is_none_or(|known| known == from) && !running.contains(&job));
                }
                Order::Queue(..) => {}
            }
        };
        for (kind, which, wait) in steps {
            now += wait;
            let name = id(names[which]);
            let input = match kind {
                0 | 1 => Input::Present(name),
                2 => Input::Gone(name, "x".into()),
                3 if !running.is_empty() => Input::Ended(running.remove(which % running.len()), None),
                5 if !running.is_empty() => Input::Yielded(running.remove(which % running.len())),
                4 if !running.is_empty() => Input::Ended(running.remove(which % running.len()), Some(lab())),
                7 if !running.is_empty() => Input::Ended(running.remove(which % running.len()), Some(asleep())),
                8 => Input::Refused(name, asleep()),
                _ => Input::Tick,
            };
            take(dispatch.step(at(now), input), &mut running);
        }
        take(dispatch.step(at(now), Input::Stop(interrupted())), &mut running);
        while let Some(job) = running.pop() {
            take(dispatch.step(at(now), Input::Ended(job, Some(lab()))), &mut running);
        }
        prop_assert!(dispatch.is_done());
        prop_assert_eq!(judged, vec![1; jobs.len()]);
    }
}

#[test]
fn a_run_that_goes_on_after_an_hour_gives_no_phone_up_before_it_was_looked_at() {
    let hour = RunTime::from_ns(3_600_000_000_000);
    let mut dispatch = Dispatch::begun(hour, rules(), &plan(&["a", "b"]), BTreeMap::new());
    let [a, b] = ["a", "b"].map(|id| DeviceId(id.to_owned()));
    assert_eq!(dispatch.step(hour, Input::Present(a.clone())), [Order::Start(0, a)]);
    assert_eq!(dispatch.step(hour, Input::Present(b.clone())), [Order::Start(1, b)]);
}

/// One job on `a`, which `b` and `c` may step in for.
fn with_spares() -> Vec<PlannedJob> {
    let mut jobs = plan(&["a", "b"]);
    jobs[0].spares = vec![id("b"), id("c"), id("d")];
    jobs
}

fn asleep() -> Fault {
    Fault::new(FaultCode::ScreenOff, "asleep")
}

#[test]
fn a_job_the_lab_keeps_from_its_end_moves_to_the_spare_with_the_least_to_do() {
    let mut dispatch = Dispatch::new(rules(), &with_spares());
    dispatch.step(at(0), Input::Present(id("a")));
    dispatch.step(at(0), Input::Present(id("b")));
    let moved = Order::Move(0, id("a"), id("c"), asleep());
    assert_eq!(dispatch.step(at(3), Input::Ended(0, Some(asleep()))), [moved], "`b` works, `c` does not");
    assert!(!dispatch.is_done() && dispatch.has_waiting(&id("c")));
    assert_eq!(dispatch.step(at(3), Input::Present(id("c"))), [Order::Start(0, id("c"))]);
    // The next phone that ails, and then nothing is tried any more.
    let moved = Order::Move(0, id("c"), id("b"), asleep());
    assert_eq!(dispatch.step(at(5), Input::Ended(0, Some(asleep()))), [moved]);
    assert_eq!(
        dispatch.step(at(6), Input::Ended(1, None)),
        [Order::Judge(1, None), Order::Start(0, id("b"))]
    );
    assert_eq!(dispatch.step(at(9), Input::Ended(0, Some(asleep()))), [Order::Judge(0, Some(asleep()))]);
    assert!(dispatch.is_done());
}

#[test]
fn a_job_whose_phone_stays_away_or_is_not_to_be_had_moves_and_has_tries_of_its_own_there() {
    let mut dispatch = Dispatch::new(rules(), &with_spares());
    dispatch.step(at(0), Input::Present(id("b")));
    let busy = Fault::new(FaultCode::DeviceInUse, "taken");
    let moved = Order::Move(0, id("a"), id("c"), busy.clone());
    assert_eq!(dispatch.step(at(0), Input::Refused(id("a"), busy)), [moved]);
    dispatch.step(at(1), Input::Present(id("c")));
    for second in [5, 10] {
        let orders = dispatch.step(at(second), Input::Ended(0, Some(lab())));
        assert!(matches!(orders[..], [Order::Queue(0, _)]), "{orders:?}");
        assert_eq!(dispatch.step(at(second + 2), Input::Tick), [Order::Start(0, id("c"))]);
    }
    dispatch.step(at(20), Input::Gone(id("c"), "unplugged".into()));
    dispatch.step(at(20), Input::Ended(0, Some(lab())));
    let orders = dispatch.step(at(85), Input::Tick);
    assert!(matches!(&orders[..], [Order::Move(0, _, to, _)] if *to == id("b")), "{orders:?}");
}

#[test]
fn what_the_app_did_what_is_decided_and_what_was_interrupted_stays_where_it_is() {
    let app = Fault::new(FaultCode::AppCrashed, "crashed");
    let mut dispatch = Dispatch::new(rules(), &with_spares());
    dispatch.step(at(0), Input::Present(id("a")));
    assert_eq!(dispatch.step(at(1), Input::Ended(0, Some(app.clone()))), [Order::Judge(0, Some(app))]);
    let mut dispatch = Dispatch::new(rules(), &with_spares());
    dispatch.step(at(0), Input::Present(id("a")));
    dispatch.step(at(1), Input::Decided(0));
    assert_eq!(dispatch.step(at(1), Input::Ended(0, Some(asleep()))), [Order::Judge(0, Some(asleep()))]);
    let mut dispatch = Dispatch::new(rules(), &with_spares());
    dispatch.step(at(0), Input::Present(id("a")));
    dispatch.step(at(1), Input::Stop(interrupted()));
    assert_eq!(dispatch.step(at(1), Input::Ended(0, Some(asleep()))), [Order::Judge(0, Some(asleep()))]);
}

#[test]
fn where_fewer_phones_may_work_than_could_those_with_the_most_to_do_begin() {
    let jobs = plan(&["a", "b", "c", "d", "b"]);
    let times = [(0, 10), (1, 15), (2, 20), (3, 20), (4, 15)].map(|(job, s)| (job, Duration::from_secs(s)));
    let two = Rules { most_running: 2, ..rules() };
    let mut dispatch = Dispatch::begun(at(0), two, &jobs, BTreeMap::from(times));
    let started = |orders: Vec<Order>| -> Vec<JobId> {
        let start = |order| if let Order::Start(job, _) = order { Some(job) } else { None };
        orders.into_iter().filter_map(start).collect()
    };
    let all = ["a", "b", "c", "d"].map(|phone| Input::Present(id(phone)));
    assert_eq!(started(dispatch.steps(at(0), all)), [1, 2], "b has half a minute to do, c comes before d");
    assert_eq!(started(dispatch.step(at(1), Input::Ended(2, None))), [3], "then d, and a at the end");
}
