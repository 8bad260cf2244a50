#[test]
fn total() {
    assert_eq!(shop::cart::total(&["cup", "tea"], false), 13);
}
