//! `farmjank doctor`: what keeps phones from being measured, and what to do.

mod causes;

use super::devices::table;
use super::phones_json::{self, Examined};
use super::run::no_phones;
use super::survey::look as survey;
use crate::args::{DoctorArgs, ListingFormat, PhoneArgs};
use crate::host::{self, Streams};
use crate::settings::Terminal;
use causes::Causes;
use farmjank_engine::android::{gesture, quiet, settle, state};
use farmjank_engine::patience::Patience;
use farmjank_engine::scribe::Voice;
use farmjank_engine::survey::Surveyed;
use farmjank_leaf::text::name as shown;
use farmjank_reporters::clean;
use farmjank_results::device::DeviceFacts;
use farmjank_results::fault::Fault;
use farmjank_results::verdict::Verdict;
use farmjank_seams::device::Provider;

/// Battery below which phones throttle or go to sleep (farm practice: 30 %).
const LOW_BATTERY: u8 = 30;

/// Examines the phones.
pub async fn run(args: &DoctorArgs, terminal: Terminal) -> u8 {
    if let Some(serial) = &args.prove {
        return super::prove::run(args, serial, terminal).await;
    }
    if args.format == ListingFormat::Json {
        return for_programs(&args.phones()).await;
    }
    let args = &args.phones();
    let adb = host::find_adb()
        .map_or_else(|| "not found (only needed to start an adb server)".to_owned(), |path| shown(&path));
    Streams.out(&format!("farmjank {}\nadb program: {adb}\n", env!("CARGO_PKG_VERSION")));
    let (phones, surveyed) = match survey(args, 0).await {
        Ok(found) => found,
        Err(fault) => return no_phones(&fault),
    };
    if let Some(lab) = &phones.lab {
        Streams.out(&format!("virtual lab `{}` (seed {}): simulated phones\n", lab.name(), phones.seed));
    }
    if surveyed.is_empty() {
        Streams.out(
            "no phone is connected: plug one in with USB debugging on, or try `farmjank run --lab demo`\n",
        );
        return Verdict::Broken.exit_code();
    }
    Streams.out(&format!("\n{}\n", table(&surveyed, &*phones.claims)));
    let (yes, no) = if terminal.unicode { ("✓", "✗") } else { ("ok", "!!") };
    let (mut sick, mut causes) = (0, Vec::new());
    for phone in &surveyed {
        let ills = ills(&*phones.provider, phone).await;
        let name = clean::line(&phone.sighting.id.0, 300);
        if ills.is_empty() {
            Streams.out(&format!("{yes} {name}: ready to measure\n"));
        } else {
            sick += 1;
            Streams.out(&format!("{no} {name}\n"));
        }
        for ill in ills {
            Streams.out(&format!("    {}\n", clean::line(&ill, 300)));
        }
        causes.extend(phone.facts.as_ref().ok().map(|facts| (name, Causes::of(facts))));
    }
    phones.give_back().await;
    Streams.out(&causes::told(&causes));
    if sick == 0 { 0 } else { Verdict::Broken.exit_code() }
}

/// The same for programs, and with the same exit code.
async fn for_programs(args: &PhoneArgs) -> u8 {
    let (phones, surveyed) = match survey(args, 0).await {
        Ok(found) => found,
        Err(fault) => {
            Streams.out(&phones_json::none(&fault));
            return no_phones(&fault);
        }
    };
    let mut found = Vec::new();
    for phone in &surveyed {
        let causes = phone.facts.as_ref().ok().map(|facts| Causes::of(facts).json());
        found.push(Examined { ills: ills(&*phones.provider, phone).await, causes });
    }
    phones.give_back().await;
    Streams.out(&phones_json::phones(&phones, &surveyed, Some(&found)));
    let well = !surveyed.is_empty() && found.iter().all(|one| one.ills.is_empty());
    if well { 0 } else { Verdict::Broken.exit_code() }
}

/// Everything wrong with a phone, in words with what to do.
async fn ills(provider: &dyn Provider, phone: &Surveyed) -> Vec<String> {
    let facts = match &phone.facts {
        Ok(facts) => facts,
        Err(fault) => return vec![fault.to_string()],
    };
    let mut ills = of_facts(facts);
    match try_out(provider, facts).await {
        Ok(()) => {}
        Err(fault) => ills.push(fault.to_string()),
    }
    ills
}

fn of_facts(facts: &DeviceFacts) -> Vec<String> {
    let mut ills = Vec::new();
    let mut say = |wrong: bool, words: String| ills.extend(wrong.then_some(words));
    if let Some(battery) = facts.battery {
        let percent = battery.percent;
        say(percent < LOW_BATTERY, format!("battery at {percent} %: charge it; phones throttle when low"));
        say(battery.saver, "battery saver is on and caps the refresh rate; turn it off".to_owned());
        say(battery.faked, "battery values are faked; run `dumpsys battery reset` in its shell".to_owned());
    }
    if let Some(status) = facts.thermal_status {
        let word = state::thermal_word(status);
        say(
            status > quiet::HOTTEST,
            format!("too hot to measure (thermal status {status}, {word}); let it cool"),
        );
    }
    if let Some(scales) = facts.animations {
        let off = scales.window == 0.0 || scales.transition == 0.0 || scales.animator == 0.0;
        say(
            off,
            "animations are switched off; set the three animation scales to 1x to measure what users see"
                .to_owned(),
        );
    }
    say(facts.screen.is_none(), "the screen size is unknown: `wm size` does not answer".to_owned());
    say(facts.modes.is_empty(), "its refresh modes are unknown: the fastest rate is guessed".to_owned());
    ills
}

/// Wakes the phone and makes a no-op key event: locks and blocked injection show only when tried.
async fn try_out(provider: &dyn Provider, facts: &DeviceFacts) -> Result<(), Fault> {
    let patience = Patience::default();
    let device = provider.lease(&facts.id).await?;
    settle::wake(&*device, &patience).await?;
    settle::clock(&*device, "android", &patience).await?;
    gesture::lead(&*device, patience.launch).await.map(drop)
}
