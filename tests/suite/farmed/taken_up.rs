//! Runs that somebody else takes up: whoever conducted them died, or let them go on by themselves.

use super::computers::{Computer, Conducted, TERM, Wish, conducted, desk, gathered, passing, taken_up};
use super::{Went, hold, is_said_to_be_over, seeds, trouble};
use farmjank_farm::model::{Client, Model, Seeded, Weather};
use farmjank_results::record::Record;
use farmjank_results::time::Span;
use farmjank_shifts::conductor;
use farmjank_tests::memory::Memory;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

pub(super) async fn over(seed: u64, run: Conducted) -> Record {
    let ended = timeout(Duration::from_secs(7200), run).await;
    let ended = ended.unwrap_or_else(|_| panic!("seed {seed}: the run does not end")).expect("no panic");
    ended.unwrap_or_else(|fault| panic!("seed {seed}: {fault}"))
}

/// One run whose conductors die, with the trouble of a seed; and how many died.
async fn taken_up_by_others(seed: u64) -> (Went, usize) {
    let mut seeded = Seeded::new(seed);
    let model = Model::new(TERM, Span::from_ms(30_000), usize::MAX);
    passing(&model);
    let weather = |number: u64| Weather::rough(seed << 8 | number);
    let many = 2 + seeded.below(2);
    let mut computers: Vec<Computer> =
        (0..many).map(|number| Computer::new(number, &model, weather(number))).collect();
    computers.iter_mut().for_each(Computer::begin);
    let client = model.connect(weather(100));
    let wish = Wish::usual(seed);
    let (mut run, mut files) = conducted(&wish, &client, gathered(&client, computers.len()).await);
    let mut died = 0;
    for owner in 1..2 + seeded.below(3) {
        // Once the farm knows it; a run that died before is begun again.
        let calm = desk(&wish.run, 0, &model.connect(Weather::calm()));
        while conductor::found(&calm).await.is_err() {
            sleep(Duration::from_secs(1)).await;
        }
        sleep(Duration::from_millis(seeded.below(20_000))).await;
        if run.is_finished() {
            break;
        }
        run.abort();
        died += 1;
        // Within the time its hosts wait, or when they gave it up.
        sleep(Duration::from_millis(seeded.below(400_000))).await;
        let number = seeded.below(many) as usize;
        computers[number].begin();
        (run, files) = taken_up(&wish.run, owner, &client);
        sleep(Duration::from_millis(seeded.below(60_000))).await;
    }
    trouble(seed, &mut seeded, &model, &mut computers, None).await;
    let is_late = run.is_finished();
    computers.iter().for_each(|computer| computer.client.weather(Weather::calm()));
    client.weather(if seed.is_multiple_of(2) { Weather::calm() } else { weather(100) });
    let record = over(seed, run).await;
    if !is_late {
        is_said_to_be_over(seed, &wish.run, &model).await;
    }
    (Went { record, files, lost: None, evidence: wish.evidence }, died)
}

pub(super) fn on_one_clock<T>(story: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    tokio::task::LocalSet::new().block_on(&runtime.expect("a runtime"), story)
}

#[test]
fn a_run_whose_conductor_dies_is_taken_up_and_ends_whole() {
    let mut all = 0;
    for seed in seeds() {
        println!("seed {seed}");
        let (went, died) = on_one_clock(taken_up_by_others(seed));
        all += died;
        hold(seed, &went);
        assert_eq!(went.record.exit_code, Some(0), "seed {seed}");
    }
    assert!(all > 20, "they die before the run is over: {all}");
}

/// Every file of a bundle.
fn tree(files: &Memory) -> Vec<(String, Vec<u8>)> {
    files.paths().into_iter().map(|path| (path.clone(), files.read(&path))).collect()
}

#[test]
fn a_run_that_nobody_conducts_is_measured_and_whoever_takes_it_up_gets_the_same() {
    on_one_clock(async {
        let model = Model::new(TERM, Span::from_ms(30_000), usize::MAX);
        passing(&model);
        let mut computers: Vec<Computer> =
            (0..2).map(|number| Computer::new(number, &model, Weather::calm())).collect();
        computers.iter_mut().for_each(Computer::begin);
        let client = model.connect(Weather::calm());
        let wish = Wish::usual(7);
        let asked = super::computers::asked_for(&wish, gathered(&client, 2).await);
        conductor::detach(asked, desk(&wish.run, 0, &client)).await.expect("it is begun");
        // Long after everybody else would have given it up; an agent begins again meanwhile.
        sleep(Duration::from_secs(9)).await;
        computers[1].begin();
        sleep(Duration::from_mins(40)).await;
        let (run, first) = taken_up(&wish.run, 1, &client);
        let began = tokio::time::Instant::now();
        let record = over(7, run).await;
        assert_eq!(record.exit_code, Some(0));
        assert!(began.elapsed() < Duration::from_mins(1), "all was there: {:?}", began.elapsed());
        hold(7, &Went { record, files: first.clone(), lost: None, evidence: Wish::usual(7).evidence });
        // Once more when it is over, and by two at once.
        let [(one, second), (other, third)] = [2, 3].map(|owner| taken_up(&wish.run, owner, &client));
        let codes = (over(7, one).await.exit_code, over(7, other).await.exit_code);
        assert_eq!(codes, (Some(0), Some(0)));
        assert!(tree(&first) == tree(&second) && tree(&first) == tree(&third), "the same, byte for byte");
        // What hosts kept of it is gone soon after it is over.
        sleep(Duration::from_mins(30)).await;
        assert!(computers.iter().all(|computer| computer.folders.borrow().is_empty()));
    });
}

/// A store, a computer with an agent, and who asks it for something.
fn one_computer() -> (Model, Computer, Client) {
    let model = Model::new(TERM, Span::from_ms(30_000), usize::MAX);
    passing(&model);
    let mut computer = Computer::new(1, &model, Weather::calm());
    computer.begin();
    let client = model.connect(Weather::calm());
    (model, computer, client)
}

#[test]
fn who_takes_a_run_up_while_it_is_conducted_follows_and_leaves_the_same() {
    on_one_clock(async {
        let (_, _computer, client) = one_computer();
        let wish = Wish::usual(3);
        let (run, first) = conducted(&wish, &client, gathered(&client, 1).await);
        sleep(Duration::from_secs(10)).await;
        let (follows, second): (Conducted, Rc<Memory>) = taken_up(&wish.run, 1, &client);
        assert_eq!((over(3, run).await.exit_code, over(3, follows).await.exit_code), (Some(0), Some(0)));
        assert!(tree(&first) == tree(&second), "the same, byte for byte");
    });
}

/// Its conductor has read all there is by then, and reads nothing more.
#[test]
fn a_store_that_is_lost_as_a_run_is_said_to_be_over_keeps_the_whole_run() {
    on_one_clock(async {
        let (model, _computer, client) = one_computer();
        let wish = Wish::usual(3);
        let (run, first) = conducted(&wish, &client, gathered(&client, 1).await);
        let is_over = |body: &[u8]| String::from_utf8_lossy(body).contains(r#""over":true"#);
        model.lose_before(move |line, body| line.line == "_head" && is_over(body));
        assert_eq!(over(3, run).await.exit_code, Some(0));
        is_said_to_be_over(3, &wish.run, &model).await;
        let (again, second) = taken_up(&wish.run, 1, &client);
        assert_eq!(over(3, again).await.exit_code, Some(0));
        assert!(tree(&first) == tree(&second), "the same, byte for byte");
    });
}

/// A farm of one computer, a run of many iterations that is left there, and who takes it up.
async fn one_left(run: u64, deadline: Option<Duration>) -> (Computer, Client, Wish) {
    let (_, computer, client) = one_computer();
    let wish = Wish { iterations: 8, deadline, ..Wish::usual(run) };
    let asked = super::computers::asked_for(&wish, gathered(&client, 1).await);
    conductor::detach(asked, desk(&wish.run, 0, &client)).await.expect("it is begun");
    (computer, client, wish)
}

fn completed(files: &Memory) -> usize {
    let log = files.read(farmjank_engine::scribe::LOG);
    String::from_utf8_lossy(&log).lines().filter(|line| line.contains("\"completed\"")).count()
}

#[test]
fn an_agent_that_is_told_to_end_leaves_its_shift_to_the_next() {
    on_one_clock(async {
        let (mut computer, client, wish) = one_left(1, None).await;
        for _ in 0..3 {
            sleep(Duration::from_secs(13)).await;
            computer.end().await;
            sleep(Duration::from_secs(40)).await;
            computer.begin();
        }
        let (run, files) = taken_up(&wish.run, 1, &client);
        assert_eq!(over(1, run).await.exit_code, Some(0));
        assert_eq!(completed(&files), 8, "nothing is lost, nothing measured twice");
    });
}

#[test]
fn a_run_is_cancelled_also_while_its_host_is_not_there() {
    on_one_clock(async {
        let (mut computer, client, wish) = one_left(2, None).await;
        sleep(Duration::from_secs(20)).await;
        computer.agent.take().expect("an agent").abort();
        let by = desk(&wish.run, 9, &client);
        let found = conductor::found(&by).await.expect("it is known");
        conductor::cancel(found, by, false).await.expect("they are told");
        // What was said to nobody is forgotten by then, and what was given is given again.
        sleep(Duration::from_secs(50)).await;
        computer.begin();
        let (run, files) = taken_up(&wish.run, 1, &client);
        let record = over(2, run).await;
        assert_eq!(record.exit_code, Some(4), "it is undecided");
        let many = completed(&files);
        assert!((1..8).contains(&many), "nothing more was measured: {many}");
    });
}

#[test]
fn an_agent_that_begins_again_knows_how_long_the_run_goes_on() {
    on_one_clock(async {
        let (mut computer, client, wish) = one_left(3, Some(Duration::from_mins(3))).await;
        sleep(Duration::from_secs(20)).await;
        computer.agent.take().expect("an agent").abort();
        // The run's time is over by then, and there would be enough of it for all the rest.
        sleep(Duration::from_mins(4)).await;
        computer.begin();
        let (run, files) = taken_up(&wish.run, 1, &client);
        assert_eq!(over(3, run).await.exit_code, Some(4), "it is undecided");
        let many = completed(&files);
        assert!((1..8).contains(&many), "nothing more was measured: {many}");
    });
}
