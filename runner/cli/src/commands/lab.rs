//! `farmjank lab`: the gallery of virtual labs, serving one to adb, and how real phones fare.

use crate::args::{LabArgs, LabCommand, ServeArgs};
use crate::host::{self, Streams};
use crate::settings::{Terminal, complain};
use crate::wiring;
use farmjank_engine::scribe::Voice;
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_lab::lab::{Lab, LiveLab};
use farmjank_lab::serve::{ServeOptions, Served, serve};
use farmjank_results::verdict::{EXIT_USAGE, Verdict};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Lists or serves labs.
pub async fn run(args: &LabArgs, terminal: Terminal) -> u8 {
    match &args.command {
        None | Some(LabCommand::List) => {
            list();
            0
        }
        Some(LabCommand::Health(args)) => super::lab_health::run(args, terminal),
        Some(LabCommand::Serve(args)) => serving(args).await,
    }
}

fn list() {
    Streams
        .out("virtual labs that come with farmjank (simulated phones; nothing is measured on hardware):\n\n");
    for name in Lab::gallery() {
        let Ok(lab) = Lab::named(name) else { continue };
        let mut kinds: Vec<&str> = lab.phones.iter().map(|(_, spec)| spec.archetype.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let phones = if lab.phones.len() == 1 { "phone " } else { "phones" };
        let kinds = match kinds.len() {
            0..=5 => kinds.join(", "),
            many => format!("{} and {} more kinds", kinds[..4].join(", "), many - 4),
        };
        Streams.out(&format!("  {name:<10} {:>3} {phones}  {kinds}\n", lab.phones.len()));
    }
    Streams.out("\ntry one:   farmjank run --lab demo\nserve one: farmjank lab serve demo --daemons\n");
}

async fn serving(args: &ServeArgs) -> u8 {
    let lab = match wiring::lab(&args.lab, args.seed) {
        Ok(lab) => lab,
        Err(fault) => {
            complain(fault);
            return EXIT_USAGE;
        }
    };
    let live = match lab.build() {
        Ok(live) => live,
        Err(why) => {
            complain(why);
            return EXIT_USAGE;
        }
    };
    let loopback = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    let options =
        ServeOptions { server: Some(loopback(args.port)), daemons: args.daemons.then(|| loopback(0)) };
    let served = match serve(&live, &options).await {
        Ok(served) => served,
        Err(error) => {
            complain(format!("the lab cannot be served: {error}"));
            return Verdict::Broken.exit_code();
        }
    };
    Streams.out(&announcement(&lab, &served));
    let stop = Stop::default();
    host::signals::listen(stop.clone());
    stop.reached(Urgency::Drain).await;
    match &args.truth {
        Some(path) => match host::write_file(path, format!("{:#}\n", truth(&live)).as_bytes()) {
            Ok(()) => 0,
            Err(why) => {
                complain(why);
                Verdict::Broken.exit_code()
            }
        },
        None => 0,
    }
}

/// How to reach the lab, in lines that can be copied.
fn announcement(lab: &Lab, served: &Served) -> String {
    let servers: Vec<String> = served.servers.iter().map(|address| format!("tcp:{address}")).collect();
    let mut out = format!(
        "virtual lab `{}` (seed {}), {} phones, until interrupted\n",
        lab.name,
        lab.seed,
        lab.phones.len()
    );
    out.push_str(&format!("as an adb server:  ADB_SERVER_SOCKET={}\n", servers.join(",")));
    for (serial, address) in &served.daemons {
        out.push_str(&format!("as a phone:        adb connect {address}   ({serial})\n"));
    }
    out
}

/// Every frame that existed, per phone and layer: presents in ns of the phone's CLOCK_MONOTONIC.
fn truth(live: &LiveLab) -> Value {
    let phones = live.serials().into_iter().filter_map(|serial| {
        let phone = live.truth(&serial, |truth| {
            let layers: Vec<Value> = truth
                .layers
                .iter()
                .map(|layer| {
                    let presents: Vec<i64> = layer.frames.iter().map(|frame| frame.present).collect();
                    let vsyncs: Vec<i64> = layer.frames.iter().map(|frame| frame.vsync).collect();
                    let periods: Vec<i64> = layer.frames.iter().map(|frame| frame.period).collect();
                    json!({ "name": layer.name, "presents": presents, "vsyncs": vsyncs, "periods": periods })
                })
                .collect();
            let gestures: Vec<Value> =
                truth.gestures.iter().map(|touch| json!([touch.down, touch.up, touch.fling_end])).collect();
            json!({ "layers": layers, "gestures": gestures })
        });
        phone.map(|phone| (serial, phone))
    });
    Value::Object(phones.collect())
}
