def lines():
    return ["cup", "tea"]
