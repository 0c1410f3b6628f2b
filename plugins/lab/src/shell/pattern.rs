//! Shell patterns: `*`, `?`, `[a-z]`, `[!a]`, with quoted characters standing for themselves.

/// One character of a pattern and whether it was quoted.
pub type Glyph = (char, bool);

/// A pattern from unquoted text.
pub fn glyphs(text: &str, quoted: bool) -> impl Iterator<Item = Glyph> + '_ {
    text.chars().map(move |c| (c, quoted))
}

/// Whether the whole text matches. Time is bounded by pattern length × text length.
pub fn matches(pattern: &[Glyph], text: &[char]) -> bool {
    let mut p = 0;
    let mut t = 0;
    let mut star = None;
    while t < text.len() {
        if pattern.get(p) == Some(&('*', false)) {
            star = Some((p, t));
            p += 1;
            continue;
        }
        if let Some(width) = one(&pattern[p.min(pattern.len())..], text[t]) {
            p += width;
            t += 1;
            continue;
        }
        let Some((star_p, star_t)) = star else { return false };
        star = Some((star_p, star_t + 1));
        p = star_p + 1;
        t = star_t + 1;
    }
    pattern[p..].iter().all(|glyph| *glyph == ('*', false))
}

/// Whether the first element of a pattern matches a character, and how many glyphs it takes.
fn one(pattern: &[Glyph], c: char) -> Option<usize> {
    match pattern.first()? {
        ('?', false) => Some(1),
        ('[', false) => match class(pattern, c) {
            Some((width, true)) => Some(width),
            Some((_, false)) => None,
            None => (c == '[').then_some(1),
        },
        (literal, _) => (*literal == c).then_some(1),
    }
}

/// A bracket expression: its width and whether it holds the character. Nothing when it has no end.
fn class(pattern: &[Glyph], c: char) -> Option<(usize, bool)> {
    let mut i = 1;
    let negated = matches!(pattern.get(i), Some(('!' | '^', false)));
    if negated {
        i += 1;
    }
    let from = i;
    let mut found = false;
    loop {
        let (low, quoted) = *pattern.get(i)?;
        if low == ']' && !quoted && i > from {
            return Some((i + 1, found != negated));
        }
        let high = match (pattern.get(i + 1), pattern.get(i + 2)) {
            (Some(('-', false)), Some((high, _))) if *high != ']' => {
                i += 2;
                *high
            }
            _ => low,
        };
        found |= low <= c && c <= high;
        i += 1;
    }
}

/// Where a pattern that must match at the front (or back) of a text lets go of it: the text that stays.
pub fn cut(pattern: &[Glyph], text: &str, front: bool, longest: bool) -> String {
    let chars: Vec<char> = text.chars().collect();
    let try_at = |n: usize| {
        let (piece, rest) = if front {
            (&chars[..n], &chars[n..])
        } else {
            (&chars[chars.len() - n..], &chars[..chars.len() - n])
        };
        matches(pattern, piece).then(|| rest.iter().collect::<String>())
    };
    let found =
        if longest { (0..=chars.len()).rev().find_map(try_at) } else { (0..=chars.len()).find_map(try_at) };
    found.unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(pattern: &str, text: &str) -> bool {
        matches(&glyphs(pattern, false).collect::<Vec<_>>(), &text.chars().collect::<Vec<_>>())
    }

    #[test]
    fn patterns_match_whole_texts() {
        assert!(hit("a*c", "abbbc") && hit("*", "") && hit("[a-c]?", "bz") && hit("[!x]", "y"));
        assert!(!hit("a*c", "abbbd") && !hit("[a-c]", "d") && !hit("?", "") && !hit("[!x]", "x"));
        assert!(hit("[", "[") && hit("*[0-9]*", "a1b"));
        assert!(!matches(&[('*', true)], &['a']) && matches(&[('*', true)], &['*']));
    }

    #[test]
    fn cutting_takes_the_shortest_or_longest_piece() {
        let star_dot: Vec<Glyph> = glyphs("*.", false).collect();
        assert_eq!(cut(&star_dot, "a.b.c", true, false), "b.c");
        assert_eq!(cut(&star_dot, "a.b.c", true, true), "c");
        let dot_star: Vec<Glyph> = glyphs(".*", false).collect();
        assert_eq!(cut(&dot_star, "a.b.c", false, false), "a.b");
        assert_eq!(cut(&dot_star, "a.b.c", false, true), "a");
    }
}
