from shop.menu import lines


def test_lines():
    assert lines() == ["cup", "tea"]
