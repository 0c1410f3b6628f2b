//! Temperatures as Android's thermal service prints them (docs/design/phones.md#state).

/// Before what was asked of the sensors just now; what stands above it may be old.
const FRESH: &str = "Current temperatures from HAL:";

/// The hottest sensor of a kind (2 battery, 3 skin) in `dumpsys thermalservice`, °C: of those read just now where the
/// phone has any. None where it does not say, or says what no phone has.
pub fn celsius(text: &str, kind: u8) -> Option<f64> {
    let kind = format!("mType={kind},");
    let hottest = |text: &str| {
        let of = |line: &str| {
            let (_, rest) = line.split_once("Temperature{mValue=")?;
            rest.contains(&kind).then(|| rest.split(',').next()?.trim().parse::<f64>().ok())?
        };
        text.lines().filter_map(of).filter(|celsius| (-40.0..=120.0).contains(celsius)).reduce(f64::max)
    };
    let fresh = text.split_once(FRESH).map(|(_, fresh)| fresh);
    fresh.and_then(hottest).or_else(|| hottest(text))
}

#[cfg(test)]
mod tests {
    use super::celsius;

    #[test]
    fn what_was_read_just_now_counts_and_the_hottest_of_its_kind() {
        let line = |value: &str, kind: u8| {
            format!("\tTemperature{{mValue={value}, mType={kind}, mName=x, mStatus=0}}\n")
        };
        let cached = format!("Cached temperatures:\n{}{}", line("45.0", 3), line("31.0", 2));
        assert_eq!(
            (celsius(&cached, 3), celsius(&cached, 2), celsius(&cached, 0)),
            (Some(45.0), Some(31.0), None)
        );
        let both = format!(
            "{cached}Current temperatures from HAL:\n{}{}{}",
            line("36.5", 3),
            line("38.5", 3),
            line("NaN", 3)
        );
        assert_eq!((celsius(&both, 3), celsius(&both, 2)), (Some(38.5), Some(31.0)));
        assert_eq!(celsius(&line("-273.0", 3), 3), None);
    }
}
