"""
What is said in a mail: sentences, dates, questions, intents, facts.
"""
