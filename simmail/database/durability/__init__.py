"""What was committed is kept, whatever a Redis forgets and whichever of them dies."""
