//! `doctor --prove`: every belief holds on every archetype, a phone that lies is found, and an archive tells the same
//! table without a phone and nothing about whose phone it was.

use crate::truth::every_archetype;
use farmjank_devices::{AdbProvider, Options};
use farmjank_engine::patience::Patience;
use farmjank_engine::prove::ask::Asker;
use farmjank_engine::prove::judge::{all_held, judge};
use farmjank_engine::prove::{Belief, Held, Proof, archive};
use farmjank_engine::survey::{Surveyed, Wanted, survey};
use farmjank_frames::registry::{probes, sources};
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_lab::dial::LabDial;
use farmjank_lab::lab::Lab;
use farmjank_seams::claim::Private;
use farmjank_seams::device::Provider;
use farmjank_seams::source::FrameSource;
use farmjank_tests::shells::Shells;
use std::rc::Rc;

fn readers() -> Vec<Rc<dyn FrameSource>> {
    sources(None, 0)
}

/// What the phones of a lab answer, by serial.
fn proofs(lab: &str) -> Vec<(String, Proof)> {
    let lab = Lab::from_yaml(lab).expect("a lab that can be read");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    tokio::task::LocalSet::new().block_on(&runtime.expect("a runtime"), async {
        let live = lab.build().expect("a lab that can be built");
        let shells = Shells::default();
        live.transcribe(shells.scribe());
        let dial = Rc::new(LabDial::new(live.clone()));
        let provider = AdbProvider::new(lab.servers(), dial, Options::default());
        let patience = Patience::default();
        let mut arrivals = provider.watch().await.expect("a lab that answers");
        let surveyed = survey(&provider, &mut *arrivals, &Wanted::default(), &patience, &Private::default())
            .await
            .expect("phones");
        let mut proofs = Vec::new();
        for Surveyed { sighting, facts } in surveyed {
            let facts = facts.expect("facts");
            let device = provider.lease(&facts.id).await.expect("a phone");
            let (sources, probes) = (readers(), probes());
            let asker = Asker {
                device: &*device,
                facts: &facts,
                sources: &sources,
                probes: &probes,
                patience: &patience,
                tool: "test",
            };
            let proof = asker.ask(&|_| {}).await.unwrap_or_else(|fault| panic!("{}: {fault}", sighting.id));
            proofs.push((sighting.id.0, proof));
        }
        shells.hold_against_real_ones();
        proofs
    })
}

fn one(rest: &str) -> Proof {
    let lab = format!("name: one\nphones:\n  - {{ archetype: pixel-6, serial: SECRET-SERIAL-0815{rest} }}\n");
    proofs(&lab).pop().expect("a phone").1
}

fn table(beliefs: &[Belief]) -> String {
    beliefs.iter().map(|belief| format!("{:?} {}: {}\n", belief.held, belief.key, belief.evidence)).collect()
}

fn held(beliefs: &[Belief], key: &str) -> Held {
    beliefs.iter().find(|belief| belief.key == key).unwrap_or_else(|| panic!("no belief {key}")).held
}

#[test]
fn every_belief_holds_on_every_archetype() {
    let proofs = proofs(&every_archetype());
    assert_eq!(proofs.len(), ARCHETYPES.len());
    // What every phone tells is told: nothing is green for want of evidence.
    let always = [
        "clock.offset",
        "clock.presents",
        "layer.choice",
        "ring.size",
        "ring.order",
        "ring.columns",
        "ring.rhythm",
        "period.header",
        "input.cost",
        "touch.frames",
        "cost.ring",
    ];
    let mut wrong = Vec::new();
    for (serial, proof) in proofs {
        let beliefs = judge(&proof, &readers());
        let traced = (proof.answers.phone.sdk >= 31).then_some("trace.ring");
        let told = always.iter().copied().chain(traced).all(|key| held(&beliefs, key) == Held::Yes);
        if !told || !all_held(&beliefs) {
            wrong.push(format!("{serial}:\n{}", table(&beliefs)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_phone_that_lies_is_found_by_the_belief_it_breaks() {
    for (lie, key) in [
        (", faults: [ { ring_rows: { n: 64 } } ]", "ring.size"),
        (", faults: [ swapped_columns ]", "ring.columns"),
        (", faults: [ { header_period: { ns: 13000000 } } ]", "period.header"),
    ] {
        let beliefs = judge(&one(lie), &readers());
        assert_eq!(held(&beliefs, key), Held::No, "{lie}:\n{}", table(&beliefs));
        assert!(!all_held(&beliefs));
    }
}

#[test]
fn an_archive_tells_the_same_table_and_nothing_of_whose_phone_it_was() {
    let proof = one("");
    let bytes = archive::pack(&proof).expect("an archive");
    let again = archive::unpack(&bytes).expect("an archive that can be read");
    assert_eq!(again, proof);
    assert_eq!(judge(&again, &readers()), judge(&proof, &readers()));
    assert_eq!(bytes, archive::pack(&again).expect("an archive"), "one proof, one archive");
    let told = format!("{:?}", again);
    let dumps: String =
        again.dumps.iter().map(|dump| String::from_utf8_lossy(&dump.text).into_owned()).collect();
    for secret in ["SECRET-SERIAL-0815", "com.example.shop"] {
        assert!(!told.contains(secret) && !dumps.contains(secret), "{secret}");
    }
}

#[test]
fn an_archive_that_is_none_is_refused_in_words() {
    let bytes = archive::pack(&one("")).expect("an archive");
    assert!(archive::unpack(b"").unwrap_err().to_string().contains("gzip"));
    assert!(archive::unpack(&bytes[..bytes.len() / 2]).unwrap_err().to_string().contains("cut short"));
    let mut later = one("");
    later.answers.format = 99;
    let later = archive::pack(&later).expect("an archive");
    assert!(archive::unpack(&later).unwrap_err().to_string().contains("format 99"));
}
