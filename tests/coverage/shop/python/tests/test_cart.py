from shop.cart import total


def test_total():
    assert total(["cup", "tea"]) == 13
