//! Phones that come and go, and phones that somebody takes out of service and puts back.

use super::computers::{Computer, TERM, Wish, conducted, gathered, passing};
use super::queue::{begins, ended, iterations, on_one_clock};
use farmjank_farm::frames::VERSION;
use farmjank_farm::model::{Client, Model, Weather};
use farmjank_results::device::DeviceId;
use farmjank_results::fault::FaultCode;
use farmjank_results::time::Span;
use farmjank_results::verdict::Verdict;
use farmjank_seams::claim::Priority;
use farmjank_seams::exchange::Exchange;
use farmjank_shifts::note::{PhoneNote, hosts};
use farmjank_shifts::service::{Drained, ServiceWord};
use farmjank_shifts::shift::{Offer, Offered, written};
use std::time::Duration;
use tokio::time::{Instant, sleep};

fn farm() -> Model {
    let model = Model::new(TERM, Span::from_ms(30_000), usize::MAX);
    passing(&model);
    model
}

async fn phones(client: &Client) -> Vec<PhoneNote> {
    let found = hosts(client, "main", None).await.expect("a model answers");
    found.into_iter().flat_map(|host| host.phones).collect()
}

/// Waits until the only phone is so.
async fn until(client: &Client, what: &str, is: impl Fn(Option<&PhoneNote>) -> bool) -> Duration {
    let begun = Instant::now();
    while !is(phones(client).await.first()) {
        assert!(begun.elapsed() < Duration::from_mins(10), "never: {what}");
        sleep(Duration::from_secs(1)).await;
    }
    begun.elapsed()
}

async fn say(client: &Client, name: &str, phones: &[&str], why: Option<&str>) {
    let drained = why.map(|why| Drained { why: why.to_owned(), since: "2026-03-01T00:00:00Z".to_owned() });
    let phones = phones.iter().map(|id| DeviceId((*id).to_owned())).collect();
    let what = Offered::Service(ServiceWord { phones, drained });
    let (key, line) = (name.to_owned(), "service".to_owned());
    let offer = Offer { v: VERSION, key, line, what, priority: String::new() };
    let body = written(&offer).expect("words");
    client.offer("rack-1", name, &body).await.expect("a model answers");
}

#[test]
fn a_phone_that_comes_back_is_told_of_without_its_agent_beginning_again() {
    on_one_clock(async {
        let model = farm();
        let faults = "faults: [ { at: 60s, phone: phone-1, kind: unplug, for: 120s } ]\n";
        let mut computer = Computer::with(1, &model, Weather::calm(), faults);
        computer.begin();
        let client = model.connect(Weather::calm());
        gathered(&client, 1).await;
        let ready = |phone: Option<&PhoneNote>| phone.is_some_and(|phone| phone.facts.is_some());
        assert!(ready(phones(&client).await.first()));
        until(&client, "gone", |phone| phone.is_none()).await;
        // Nobody can be promised a phone that is not there.
        let (run, _) = conducted(&Wish::usual(1), &client, gathered(&client, 1).await);
        assert_eq!(ended(run).await.exit_code, Some(3));
        until(&client, "back", ready).await;
        let (run, _) = conducted(&Wish::usual(2), &client, gathered(&client, 1).await);
        assert_eq!(ended(run).await.exit_code, Some(0));
    });
}

#[test]
fn a_phone_that_is_taken_out_of_service_is_free_after_an_iteration_and_its_run_goes_on_later() {
    on_one_clock(async {
        let model = farm();
        let mut computer = Computer::new(1, &model, Weather::calm());
        computer.begin();
        let client = model.connect(Weather::calm());
        let wish =
            Wish { run: "sweep".to_owned(), priority: Priority::Nightly, iterations: 12, ..Wish::usual(0) };
        let (sweeping, sweep) = conducted(&wish, &client, gathered(&client, 1).await);
        begins(&sweep).await;
        while iterations(&sweep).len() < 2 {
            sleep(Duration::from_secs(1)).await;
        }
        say(&client, "out", &["phone-1"], Some("the battery swells")).await;
        let free = |phone: Option<&PhoneNote>| {
            phone.and_then(|phone| phone.drained.as_ref()).is_some_and(|own| own.by.is_none())
        };
        let waited = until(&client, "free", free).await;
        assert!(waited < Duration::from_secs(45), "an iteration, and a renewal of the lease: {waited:?}");
        let before = iterations(&sweep).len();
        assert!(before < 12);
        // Nobody who asks now is given it, and all are told why.
        let found = gathered(&client, 1).await;
        let (gating, _) = conducted(&Wish { priority: Priority::Gate, ..Wish::usual(1) }, &client, found);
        let gate = ended(gating).await;
        let job = gate.jobs.values().next().expect("a job");
        assert_eq!((gate.exit_code, job.verdict), (Some(3), Some(Verdict::Broken)));
        let fault = phones(&client).await[0].fault.clone().expect("a fault");
        assert_eq!(fault.code, FaultCode::DeviceDrained);
        assert!(
            fault.to_string().contains("the battery swells; `farmjank farm undrain rack-1 phone-1`"),
            "{fault}"
        );
        // An agent that begins again still knows.
        computer.begin();
        sleep(Duration::from_mins(20)).await;
        assert!(free(phones(&client).await.first()));
        assert!(iterations(&sweep).len() <= before + 1, "what was cut off is no iteration");
        say(&client, "back", &["phone-1"], None).await;
        assert_eq!(ended(sweeping).await.exit_code, Some(0));
        assert_eq!(iterations(&sweep).len(), 12, "nothing is lost, nothing measured twice");
        assert!(phones(&client).await[0].drained.is_none());
    });
}
