//! Text in columns: words moved to the next line, which is indented. Must not know what the text says.

/// A label and a text behind it; further lines begin at a column. Words are never broken. Ends with a new line.
pub fn hanging(label: &str, text: &str, indent: usize, width: usize) -> String {
    let mut out = label.to_owned();
    let mut column = label.chars().count();
    // Something must fit, however narrow it is.
    let width = width.max(indent + 20);
    let mut fresh = true;
    for word in text.split_whitespace() {
        let long = word.chars().count();
        if !fresh && column + 1 + long > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
            fresh = true;
        }
        if !fresh {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += long;
        fresh = false;
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_to_the_next_line_under_their_column() {
        assert_eq!(hanging("a   ", "one two three", 4, 30), "a   one two three\n");
        assert_eq!(
            hanging("a   ", "one two three four five six seven", 4, 24),
            "a   one two three four\n    five six seven\n"
        );
    }

    #[test]
    fn a_long_word_is_not_broken_and_an_empty_text_leaves_no_blank() {
        let word = "x".repeat(60);
        assert_eq!(hanging("", &word, 0, 20), format!("{word}\n"));
        assert_eq!(hanging("label   ", "", 8, 80), "label\n");
    }
}
