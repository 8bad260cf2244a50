use super::*;
use crate::text::frontmatter;

#[test]
fn explore() {
    for t in [
        "a:\t1\nb:\t\tc\n",
        "a: &x [*x]\n",
        "a: *x\n",
        "a: !x b\n",
        "a: !!str b\n",
        "a:\n\tb: 1\n",
        "a:\n  - b: 1\n\t- c: 2\n",
        "a:\n  - b: 1\n\tc: 2\n",
        "a: 1\na: 2\n",
        "<<: {a: 1}\n",
        "a: 1\n...\nb: 2\n",
        "a: b: c\n",
        "a: [1,\n",
        "? [a]\n: b\n",
        "a: \"x\n",
        "a: @x\n",
        "a: `x`\n",
        "x: |\n  a\n  b\ny: >-\n  q\n",
        "a:\nb: 1\n",
        "%YAML 1.2\n",
        "a: 'x\n",
        "l:\n  - a: 1\n  - b: 2\n  - c: d: e\n",
        "",
        "- a\n",
        "--- x\n",
        "&a b: 1\n",
        "a:\n- x: 1\n  y:\t- 2\n",
        "a: ! b\n",
    ] {
        let f = format!("---\n{t}---\n");
        let p = parse(&frontmatter::split(f.as_bytes()).unwrap());
        println!("{t:?}\n   {:?} {}", p.value, p.cut_short);
        for x in p.faults {
            println!("   {x:?}");
        }
    }
    for big in ["[".repeat(80000), "- ".repeat(3000), "{a: ".repeat(3000), "? ".repeat(3000)] {
        let f = format!("---\na: \n{big}\n---\n");
        let n = std::time::Instant::now();
        let p = parse(&frontmatter::split(f.as_bytes()).unwrap());
        println!("{:?}  {:?}", n.elapsed(), p.faults);
    }
}
