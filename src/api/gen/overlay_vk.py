def apply(model): pass
