//! A file that is no page, as one: its text, so that a browser shows it where a link to it leads.

/// What the name of its page ends in, behind the file's own.
pub const END: &str = ".html";

/// The page of a file.
pub fn page(path: &str, text: &str) -> String {
    let up = "../".repeat(path.matches('/').count());
    let (name, text) = (escaped(path), escaped(text));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{name}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <style>\n:root {{ color-scheme: light dark; }}\n\
         body {{ margin: 1rem auto; max-width: 64rem; padding: 0 1rem; font: 1rem/1.5 sans-serif; }}\n\
         pre {{ overflow-x: auto; font: 0.875rem/1.5 monospace; tab-size: 4; }}\n</style>\n</head>\n<body>\n\
         <p><a href=\"{up}index.html\">farmjank</a> · {name}</p>\n<pre>{text}</pre>\n</body>\n</html>\n"
    )
}

/// What cannot be taken for markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_shown_as_text_whatever_it_holds() {
        let page = page("a/b/<c>.rs", "</pre><script>x()</script> & \"y\"");
        assert!(
            page.contains("<title>a/b/&lt;c&gt;.rs</title>") && page.contains("href=\"../../index.html\"")
        );
        assert!(page.contains("<pre>&lt;/pre&gt;&lt;script&gt;x()&lt;/script&gt; &amp; &quot;y&quot;</pre>"));
    }
}
