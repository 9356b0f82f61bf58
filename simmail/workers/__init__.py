"""
One service as several processes: who of them has which universe, how they talk, and who starts them.
"""
