from shop.gift import wrap
from shop.price import price


def total(names, gift=False):
    return sum(price(name) for name in names) + (wrap() if gift else 0)
