#[test]
fn lines() {
    assert_eq!(shop::menu::lines(), ["cup", "tea"]);
}
