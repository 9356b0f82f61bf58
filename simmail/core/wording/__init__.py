"""What a language model is asked to word, how it is asked, and what of its answers is taken."""
