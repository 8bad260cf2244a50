//! Which files are read again, and which are known by their stat data.

use super::*;

/// A file with unchanged stat data and other content of the same size.
fn with_forged_stat() -> (Scratch, String) {
    let scratch = Scratch::new();
    // the change time cannot be forged
    scratch.git(&["config", "core.trustctime", "false"]);
    scratch.write("f", "old");
    set_time(&scratch, "f", 1_700_000_000);
    scratch.commit("one");
    scratch.write("f", "new");
    set_time(&scratch, "f", 1_700_000_000);
    let old = scratch.git(&["rev-parse", "HEAD:f"]);
    (scratch, old)
}

#[test]
fn a_file_that_is_clean_by_its_stat_data_is_not_read() {
    let (scratch, old) = with_forged_stat();
    assert_eq!(known(&view(&scratch), "f"), old);
}

#[test]
fn a_racily_clean_file_is_read() {
    let (scratch, old) = with_forged_stat();
    for index_time in [1_700_000_000, 1_699_999_999] {
        set_time(&scratch, ".git/index", index_time);
        assert_ne!(known(&view(&scratch), "f"), old, "{index_time}");
    }
}

#[test]
fn within_one_second_nanoseconds_tell_what_is_racy() {
    let at = |nanoseconds| SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, nanoseconds);
    let scratch = Scratch::new();
    let set = |path: &str, nanoseconds| {
        let file = File::options().write(true).open(scratch.root.join(path)).unwrap();
        file.set_modified(at(nanoseconds)).unwrap();
    };
    scratch.git(&["config", "core.trustctime", "false"]);
    scratch.write("f", "old");
    set("f", 500);
    scratch.commit("one");
    scratch.write("f", "new");
    set("f", 500);
    let old = scratch.git(&["rev-parse", "HEAD:f"]);
    for (index_time, trusted) in [(501, true), (500, false), (499, false)] {
        set(".git/index", index_time);
        assert_eq!(known(&view(&scratch), "f") == old, trusted, "{index_time}");
    }
    scratch.git(&["config", "core.checkStat", "minimal"]);
    set(".git/index", 501);
    assert_ne!(known(&view(&scratch), "f"), old, "without nanoseconds the whole second is racy");
}

#[test]
fn every_part_of_the_stat_data_counts() {
    let (scratch, old) = with_forged_stat();
    scratch.git(&["config", "core.trustctime", "true"]);
    assert_ne!(known(&view(&scratch), "f"), old, "change time");
    scratch.git(&["config", "core.checkStat", "minimal"]);
    assert_eq!(known(&view(&scratch), "f"), old, "minimal looks at the time of change of content and the size");
    set_time(&scratch, "f", 1_700_000_001);
    assert_ne!(known(&view(&scratch), "f"), old, "time");
    scratch.write("f", "longer");
    set_time(&scratch, "f", 1_700_000_000);
    assert_ne!(known(&view(&scratch), "f"), old, "size");
    let (scratch, old) = with_forged_stat();
    scratch.write("g", "new");
    set_time(&scratch, "g", 1_700_000_000);
    fs::rename(scratch.root.join("g"), scratch.root.join("f")).unwrap();
    assert_ne!(known(&view(&scratch), "f"), old, "inode");
    let (scratch, old) = with_forged_stat();
    fs::set_permissions(scratch.root.join("f"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_ne!(known(&view(&scratch), "f"), old, "executable bit");
    scratch.git(&["config", "core.fileMode", "false"]);
    assert_eq!(known(&view(&scratch), "f"), old, "an executable bit that means nothing");
}

#[test]
fn a_file_that_became_executable_is_converted_as_if_it_were_added() {
    let scratch = Scratch::new();
    scratch.write("f", "1\r\n");
    set_time(&scratch, "f", 1_700_000_000);
    scratch.commit("with CR LF");
    scratch.write(".gitattributes", "f text\n");
    fs::set_permissions(scratch.root.join("f"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(seen(&scratch), added(&scratch));
}

#[test]
fn a_link_that_is_checked_out_as_a_file_is_converted_like_one() {
    let scratch = Scratch::new();
    symlink("target", scratch.root.join("link")).unwrap();
    scratch.commit("link");
    scratch.git(&["config", "core.symlinks", "false"]);
    fs::remove_file(scratch.root.join("link")).unwrap();
    scratch.write("link", "1\r\n");
    scratch.write(".gitattributes", "link text\n");
    assert_eq!(seen(&scratch), added(&scratch));
    assert_eq!(view(&scratch).read(&path("link")).unwrap().unwrap(), b"1\n");
}

#[test]
fn a_value_spelt_like_a_state_is_not_that_state() {
    let scratch = Scratch::new();
    let attributes = [
        "text=set",
        "text=unset",
        "crlf=set",
        "crlf=unset",
        "text=set eol=lf",
        "text=set crlf",
        "text=unset crlf=set",
        "-text",
        "text",
        "crlf",
        "ident=set",
        "ident",
        "ident=unset",
        "text=unspecified crlf",
        "eol=set",
        "text=input",
        "text=foo",
    ];
    for auto in ["false", "true", "input"] {
        scratch.git(&["config", "core.autocrlf", auto]);
        let mut lines = String::new();
        for (number, attribute) in attributes.iter().enumerate() {
            for name in ["tracked", "new", "dir/new"] {
                lines += &format!("{name}[[]{number}] {attribute}\n");
                scratch.write(&format!("{name}[{number}]"), "1\n");
            }
        }
        scratch.write(".gitattributes", lines);
        scratch.git(&["add", "--", "tracked*"]);
        for number in 0..attributes.len() {
            for name in ["tracked", "new"] {
                scratch.write(&format!("{name}[{number}]"), "1\r\n$Id: 1 $\n");
            }
            scratch.write(&format!("dir/new[{number}]"), "1\r\n");
        }
        assert_eq!(seen(&scratch), added(&scratch), "core.autocrlf={auto}");
    }
}

#[test]
fn the_executable_bit_counts_only_where_it_means_something() {
    let scratch = Scratch::new();
    scratch.write("plain", "");
    scratch.write("run", "");
    scratch.git(&["add", "-A"]);
    scratch.git(&["update-index", "--chmod=+x", "run"]);
    scratch.git(&["config", "core.fileMode", "false"]);
    fs::set_permissions(scratch.root.join("plain"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(seen(&scratch), added(&scratch));
}
