"""
Exchanges: what somebody may write and what people write back, where nothing that is known settles it.
"""
