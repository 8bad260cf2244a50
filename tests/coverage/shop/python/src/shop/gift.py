def wrap():
    return 2
