def total(prices):
    return sum(price * 1.19 for price in prices)
