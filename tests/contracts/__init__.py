"""What every provider of an interface promises, run on each of them."""
