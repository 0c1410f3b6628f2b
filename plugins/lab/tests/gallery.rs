//! The gallery's labs do what their descriptions say.

use farmjank_lab::lab::{Lab, LiveLab};
use farmjank_lab::shell::Programs;
use farmjank_lab::shell::run::{Io, Shell};
use farmjank_lab::shell::stream::{Sink, Source};
use farmjank_lab::truth::Cause;
use std::cell::RefCell;
use std::rc::Rc;

/// Runs a line in a phone's own shell.
async fn on(lab: &LiveLab, serial: &str, line: &str) -> String {
    let phone = lab.phone(serial).unwrap_or_else(|| panic!("{serial} is in the lab")).clone();
    let programs: Rc<dyn Programs> = Rc::new(farmjank_lab::lab::Hand(phone));
    let out = Rc::new(RefCell::new(Vec::new()));
    let io = Io { input: Source::Empty, out: Sink::Capture(out.clone()), err: Sink::Capture(out.clone()) };
    Shell::new(programs, io).run(line).await;
    String::from_utf8_lossy(&out.borrow()).into_owned()
}

fn in_lab<T>(name: &str, tell: impl AsyncFnOnce(Rc<LiveLab>) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let lab = Lab::named(name).expect("in the gallery").build().expect("it runs");
        tell(lab).await
    })
}

/// Opens a page, flings it up and down, and gives the number of frames and of those that were not smooth.
async fn fling(lab: &LiveLab, serial: &str, page: &str) -> (usize, usize) {
    let line = format!(
        "am start -W -a android.intent.action.VIEW -d shop://{page} com.example.shop > /dev/null; sleep 2; \
         S=$(wm size | cut -d: -f2 | tr -d ' '); W=$((${{S%x*}} / 2)); H=${{S#*x}}; i=0; \
         while [ $i -lt 12 ]; do input swipe $W $((H * 7 / 10)) $W $((H * 3 / 10)) 200; sleep 1.5; i=$((i + 1)); done; sleep 2; true"
    );
    let said = on(lab, serial, &line).await;
    assert_eq!(said, "", "{serial}");
    let counts = lab.truth(serial, |truth| {
        let frames =
            || truth.layers.iter().flat_map(|layer| &layer.frames).filter(|frame| frame.gesture.is_some());
        (frames().count(), frames().filter(|frame| frame.cause != Cause::Smooth).count())
    });
    counts.expect("the phone")
}

#[test]
fn the_demo_s_cheap_phone_stumbles_on_its_product_page() {
    for page in ["feed", "product"] {
        in_lab("demo", async |lab| {
            for serial in lab.serials() {
                let (frames, rough) = fling(&lab, &serial, page).await;
                assert!(frames > 200, "{serial} shows {frames} frames of {page}");
                let share = rough as f64 / frames as f64;
                println!("{page} on {serial}: {rough} of {frames} frames are not smooth");
                if (page, serial.as_str()) == ("product", "virtual-redmi-note-7") {
                    assert!(share > 0.03, "{serial} should stumble on {page}: {share:.4}");
                } else if page == "feed" {
                    assert!(share < 0.02, "{serial} should be smooth on {page}: {share:.4}");
                }
            }
        });
    }
}

#[test]
fn the_flaky_lab_loses_and_regains_its_phones() {
    in_lab("flaky", async |lab| {
        let there = |serial: &str| {
            let cable = lab.phone(serial).expect("in the lab").cable();
            (cable.presence == farmjank_lab::lab::Presence::Ready, cable.wedged)
        };
        tokio::time::sleep(std::time::Duration::from_secs(25)).await;
        assert_eq!((there("loose-1"), there("loose-2")), ((false, false), (true, false)));
        tokio::time::sleep(std::time::Duration::from_secs(25)).await;
        assert_eq!(
            (there("loose-1"), there("loose-2"), there("wedged-1").1),
            ((true, false), (false, false), true)
        );
        on(&lab, "rebooting-1", "am start -W -n com.example.shop/.MainActivity").await;
        assert_ne!(on(&lab, "rebooting-1", "pidof com.example.shop").await, "");
        tokio::time::sleep(std::time::Duration::from_secs(75)).await;
        assert!(there("rebooting-1").0);
        assert_eq!(on(&lab, "rebooting-1", "pidof com.example.shop").await, "", "nothing survives a reboot");
    });
}
