//! How fast dumps pass through shell, server and pipe: 500 phones on simulated time, one sampling loop each.
//!
//! `cargo run --release -p farmjank-lab --example throughput [PHONES] [DUMPS]`
#![expect(clippy::disallowed_types, reason = "a stopwatch needs the real clock")]

use farmjank_lab::dial::LabDial;
use farmjank_lab::lab::Lab;
use farmjank_seams::host::{Address, Dial};
use std::rc::Rc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const LINE: &str = "am start -W -n com.example.shop/.FeedActivity > /dev/null; \
    L=$(dumpsys SurfaceFlinger --list | grep FeedActivity | tail -1); \
    while :; do read u _ < /proc/uptime; echo \"@@ $u\"; dumpsys SurfaceFlinger --latency \"$L\"; sleep 0.4; done";

/// Reads one phone's stream until so many dumps came; returns bytes.
async fn sample(dial: Rc<LabDial>, server: u16, serial: String, dumps: usize) -> usize {
    let Ok(mut wire) = dial.dial(&Address::Lab(server)).await else { return 0 };
    for request in [format!("host:transport:{serial}"), format!("shell,v2,raw:{LINE}")] {
        let _ = wire.write_all(format!("{:04x}{request}", request.len()).as_bytes()).await;
        let mut word = [0; 4];
        let _ = wire.read_exact(&mut word).await;
    }
    let (mut buffer, mut bytes, mut seen) = (vec![0; 64 * 1024], 0, 0);
    while seen <= dumps {
        let Ok(length @ 1..) = wire.read(&mut buffer).await else { break };
        seen += buffer[..length].windows(2).filter(|pair| pair == b"@@").count();
        bytes += length;
    }
    bytes
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|text| text.parse().ok());
    let (phones, dumps) = (numbers.next().unwrap_or(500), numbers.next().unwrap_or(300));
    let yaml = format!("name: speed\nphones: [{{ archetype: pixel-6, count: {phones} }}]");
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()
    else {
        return;
    };
    let begun = std::time::Instant::now();
    let total: usize = tokio::task::LocalSet::new().block_on(&runtime, async {
        let Ok(lab) = Lab::from_yaml(&yaml).and_then(|lab| lab.build()) else { return 0 };
        let dial = Rc::new(LabDial::new(lab.clone()));
        let work = lab.servers().iter().flat_map(|server| {
            let dial = dial.clone();
            server
                .phones()
                .iter()
                .map(move |phone| sample(dial.clone(), server.number(), phone.serial().to_owned(), dumps))
        });
        let tasks: Vec<_> = work.map(tokio::task::spawn_local).collect();
        let mut total = 0;
        for task in tasks {
            total += task.await.unwrap_or(0);
        }
        total
    });
    let seconds = begun.elapsed().as_secs_f64();
    let count = (phones * dumps) as f64;
    println!(
        "{phones} phones x {dumps} dumps, {:.1} MB: {seconds:.2} s, {:.0} dumps/s, {:.2} us a dump",
        total as f64 / 1e6,
        count / seconds,
        seconds / count * 1e6
    );
}
