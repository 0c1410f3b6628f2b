use farmjank_tests::stage::Stage;
#[test]
fn dbg() {
    for (seed, kind) in [(0, "pixel-9-pro"), (1, "galaxy-a14")] {
    let mut yaml = String::from("name: truth\nlatency: hub\nphones:\n");
    for a in farmjank_lab::archetype::SHELF { yaml.push_str(&format!("  - {{ archetype: {}, serial: {0} }}\n", a.name)); }
    let story = Stage::lab_yaml(&yaml).seed(seed).scenario(super::truth::SCENARIO).run();
    for (serial, w) in super::truth::windows(&story.record) {
        if serial != kind || w.window != "rough" { continue; }
        let cov = w.coverage.clone().unwrap();
        println!("== {serial} {} seen {} segs:", w.window, cov.frames_seen);
        for s in &cov.periods { println!("   seg from {} period {} {:?}", s.from.ns(), s.period.ns(), s.origin); }
        println!("{:?}", w.motions.iter().map(|m| (m.from.ns(), m.to.ns(), m.phase)).collect::<Vec<_>>());
        story.lab.truth(&serial, |t| {
            for s in &t.switches { println!("   true switch at {} period {} printed {}", s.at, s.period, s.printed); }
            let base = |n: &str| n.rsplit_once('#').map_or(n.to_owned(), |(b,_)| b.to_owned());
            let layer = cov.layer.clone().unwrap();
            let mut fr: Vec<_> = t.layers.iter().filter(|l| base(&l.name)==base(&layer)).flat_map(|l| l.frames.clone()).collect();
            fr.sort_by_key(|f| f.present);
            for p in fr.windows(2) {
                if !w.motions.iter().any(|m| p[0].present >= m.from.ns() && p[1].present <= m.to.ns()) { continue; }
                let at = |t: i64| cov.periods[..].iter().rev().find(|s| s.from.ns() <= t).unwrap_or(&cov.periods[0]).period.ns();
                let ours = at(p[0].present).max(at(p[1].present)); let tru = p[0].period.max(p[1].period);
                let d = p[1].present - p[0].present;
                let l = |per: i64| (2*d+per)/(2*per);
                if l(ours) != ((p[1].vsync-p[0].vsync) as f64/tru as f64).round() as i64 { println!("   MISMATCH at {} d {} ours P {} L {} true P {} ({} {}) L {}", p[1].present, d, ours, l(ours), tru, p[0].period, p[1].period, (p[1].vsync-p[0].vsync) as f64/tru as f64); }
            }
        });
    }}
}
