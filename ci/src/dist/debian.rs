//! A package for Debian and what comes of it: the binary, its pages and completions, where that system wants them.

use super::archive::Entry;
use super::kit;
use super::names::VERSION;
use super::pages::{MAN, SHELLS};
use super::write;
use crate::program::{Failed, Program};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where completions of a shell lie.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/farmjank"),
    ("fish", "usr/share/fish/vendor_completions.d/farmjank.fish"),
    ("zsh", "usr/share/zsh/vendor-completions/_farmjank"),
];
/// Where the other papers lie.
const DOC: &str = "usr/share/doc/farmjank";

/// The day of its files, which are of none, as those of the archive: 2000-01-01, for Debian takes earlier ones for a
/// mistake.
const DAY: &str = "946684800";
/// Who answers for it, unless FARMJANK_MAINTAINER says who.
const NOBODY: &str = "The authors of farmjank <farmjank@localhost>";
/// The licence, which every Debian has.
const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: the authors of farmjank
License: Apache-2.0
 The whole licence is in /usr/share/common-licenses/Apache-2.0. What the
 packages in the binary are licensed by is in /usr/share/doc/farmjank/sbom.cdx.json.
";

/// The package's name.
pub fn name(machine: &str) -> String {
    format!("farmjank_{VERSION}_{machine}.deb")
}

/// Packs what an archive holds into `into`, in a folder that is made anew.
///
/// # Errors
/// A file cannot be written, or `dpkg-deb` refuses.
pub fn pack(entries: &[Entry], machine: &str, folder: &Path, into: &Path) -> Result<PathBuf, Failed> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|why| Failed(format!("{}: {why}", folder.display())))?;
    }
    let mut size = 0;
    for (place, bytes) in entries.iter().filter_map(|entry| Some((place(entry)?, entry))) {
        let packed = if place.ends_with(".gz") { gz(&bytes.bytes)? } else { bytes.bytes.clone() };
        size += packed.len().div_ceil(1024);
        put(&folder.join(place), &packed, bytes.runs)?;
    }
    let maintainer = std::env::var("FARMJANK_MAINTAINER").unwrap_or_else(|_| NOBODY.to_owned());
    put(&folder.join(DOC).join("copyright"), COPYRIGHT.as_bytes(), false)?;
    put(&folder.join(DOC).join("changelog.gz"), &gz(changelog(&maintainer).as_bytes())?, false)?;
    put(&folder.join("DEBIAN/control"), control(machine, size, &maintainer).as_bytes(), false)?;
    let package = into.join(name(machine));
    let pack = Program::new("dpkg-deb", "dpkg-deb", "--root-owner-group -Zxz --build");
    pack.args(&[folder, &package].map(|path| path.display().to_string()))
        .env("SOURCE_DATE_EPOCH", DAY)
        .run()?;
    Ok(package)
}

/// Where a file of the archive lies; none where the package has none of it.
fn place(entry: &Entry) -> Option<String> {
    let name = entry.name.as_str();
    let shell = SHELLS.iter().find(|(_, file)| *file == name).map(|(shell, _)| *shell);
    if let Some(shell) = shell {
        return COMPLETIONS.iter().find(|(own, _)| *own == shell).map(|(_, place)| (*place).to_owned());
    }
    match name {
        "farmjank" => Some("usr/bin/farmjank".to_owned()),
        "CHANGELOG.md" => Some(format!("{DOC}/{name}.gz")),
        "README.md" | "SECURITY.md" | "schema.json" | "sbom.cdx.json" => Some(format!("{DOC}/{name}")),
        name => {
            let page = name.strip_prefix(MAN).map(|page| format!("usr/share/man/man1/{page}.gz"));
            page.or_else(|| kit::place(name))
        }
    }
}

/// What changed stands in the file that is not of Debian's form.
fn changelog(maintainer: &str) -> String {
    format!(
        "farmjank ({VERSION}) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n \
         -- {maintainer}  Sat, 01 Jan 2000 00:00:00 +0000\n"
    )
}

fn control(machine: &str, size: usize, maintainer: &str) -> String {
    format!(
        "Package: farmjank\n\
         Version: {VERSION}\n\
         Architecture: {machine}\n\
         Maintainer: {maintainer}\n\
         Installed-Size: {size}\n\
         Section: devel\n\
         Priority: optional\n\
         Recommends: adb\n\
         Description: judge how smooth an Android app is, on every phone of a lab\n \
         Runs scripted scrolls, launches and page visits on many phones at once, sees\n \
         every frame they present, holds the numbers against limits and answers with\n \
         JUnit, a report and an exit code. The binary needs no library of the system.\n"
    )
}

fn gz(bytes: &[u8]) -> Result<Vec<u8>, Failed> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    let failed = |why: std::io::Error| Failed(format!("a page cannot be packed: {why}"));
    packed.write_all(bytes).map_err(failed)?;
    packed.finish().map_err(failed)
}

fn put(file: &Path, bytes: &[u8], runs: bool) -> Result<(), Failed> {
    let failed = |why: std::io::Error| Failed(format!("{} cannot be written: {why}", file.display()));
    file.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
    write(file, bytes)?;
    rights(file, if runs { 0o755 } else { 0o644 }).map_err(failed)
}

#[cfg(unix)]
fn rights(file: &Path, mode: u32) -> std::io::Result<()> {
    fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn rights(_file: &Path, _mode: u32) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dpkg_reads_the_package_and_finds_everything_where_debian_wants_it() {
        if !Program::new("dpkg-deb", "dpkg-deb", "--version").succeeds() {
            println!("skipped: there is no dpkg-deb");
            return;
        }
        let folder = std::env::temp_dir().join(format!("farmjank-deb-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let entry =
            |name: &str| Entry { name: name.to_owned(), runs: name == "farmjank", bytes: name.into() };
        let names =
            ["farmjank", "LICENSE", "CHANGELOG.md", "README.md", "man/farmjank.1", "ci/kit/host/install"];
        let entries: Vec<Entry> = names.into_iter().chain(SHELLS.map(|(_, file)| file)).map(entry).collect();
        let package = pack(&entries, "amd64", &folder.join("tree"), &folder).unwrap();
        let told = |words: &str| {
            let asked = Program::new("dpkg-deb", "dpkg-deb", words).args(&[package.display().to_string()]);
            asked.output().unwrap()
        };
        let about = told("--info");
        assert!(about.contains("Package: farmjank") && about.contains("Architecture: amd64"), "{about}");
        let listed = told("--contents");
        let files: Vec<&str> = listed
            .lines()
            .filter(|line| !line.starts_with('d'))
            .filter_map(|line| line.split_whitespace().next_back())
            .collect();
        assert_eq!(
            files,
            [
                "./usr/bin/farmjank",
                "./usr/share/bash-completion/completions/farmjank",
                "./usr/share/doc/farmjank/CHANGELOG.md.gz",
                "./usr/share/doc/farmjank/README.md",
                "./usr/share/doc/farmjank/changelog.gz",
                "./usr/share/doc/farmjank/copyright",
                "./usr/share/farmjank/ci/kit/host/install",
                "./usr/share/fish/vendor_completions.d/farmjank.fish",
                "./usr/share/man/man1/farmjank.1.gz",
                "./usr/share/zsh/vendor-completions/_farmjank",
            ]
        );
        assert!(
            listed
                .lines()
                .any(|line| line.starts_with("-rwxr-xr-x root/root") && line.ends_with("bin/farmjank"))
        );
        fs::remove_dir_all(folder).unwrap();
    }

    /// With the whole kit in it, which is real; of the binary a release asks the same.
    #[test]
    fn debians_linter_finds_no_error_in_the_package() {
        if !Program::new("lintian", "lintian", "--version").succeeds() {
            assert!(std::env::var_os("CI").is_none(), "lintian is missing: Debian package lintian");
            println!("skipped: no lintian here (Debian package lintian)");
            return;
        }
        let folder = std::env::temp_dir().join(format!("farmjank-lint-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let entry = |name: &str, text: &str| Entry {
            name: name.to_owned(),
            runs: name == "farmjank",
            bytes: text.into(),
        };
        let page = ".TH FARMJANK 1\n.SH NAME\nfarmjank \\- judge how smooth an app is\n";
        let mut entries = vec![entry("farmjank", "#!/bin/sh\n"), entry("man/farmjank.1", page)];
        entries.extend(["CHANGELOG.md", "README.md"].map(|name| entry(name, "# Of farmjank\n")));
        entries.extend(SHELLS.map(|(_, file)| entry(file, "# completions\n")));
        entries.extend(kit::entries().unwrap());
        let package = pack(&entries, "amd64", &folder.join("tree"), &folder).unwrap();
        // Whose address stands in it says a release (FARMJANK_MAINTAINER); here it is nobody's.
        let words =
            "--fail-on error --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog --quiet";
        let lint = Program::new("lintian", "lintian", words);
        lint.args(&[package.display().to_string()]).run().unwrap();
        fs::remove_dir_all(folder).unwrap();
    }
}
