//! The gallery: scenarios of the shop that virtual phones have installed, part of the program, so that they run where
//! no file is.

/// Where its files seem to lie: a name no file of a person has.
const FOLDER: &str = "farmjank:gallery/";

/// Each file's path below the folder, and its text.
const FILES: [(&str, &str); 5] = [
    ("home-feed.yaml", include_str!("../gallery/home-feed.yaml")),
    ("launch.yaml", include_str!("../gallery/launch.yaml")),
    ("product-page.yaml", include_str!("../gallery/product-page.yaml")),
    ("search.yaml", include_str!("../gallery/search.yaml")),
    ("shared/leave.yaml", include_str!("../gallery/shared/leave.yaml")),
];

/// The scenarios: what each is called in messages, and its text. Fragments that scenarios run are not among them.
pub fn scenarios() -> impl Iterator<Item = (String, &'static str)> {
    let own = FILES.iter().filter(|(path, _)| !path.contains('/'));
    own.map(|(path, text)| (format!("{FOLDER}{path}"), *text))
}

/// The text of a file of the gallery, by the name it has in messages; none of other paths.
pub fn text_of(name: &str) -> Option<&'static str> {
    let path = name.strip_prefix(FOLDER)?;
    FILES.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_are_named_and_fragments_are_found_by_name_alone() {
        let names: Vec<String> = scenarios().map(|(name, _)| name).collect();
        assert_eq!(names.len(), 4, "{names:?}");
        assert!(names.iter().all(|name| text_of(name).is_some()));
        assert!(text_of("farmjank:gallery/shared/leave.yaml").is_some());
        assert_eq!((text_of("gallery/home-feed.yaml"), text_of("farmjank:gallery/none.yaml")), (None, None));
    }
}
