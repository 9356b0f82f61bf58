"""
Octets of mail: addresses, header fields, structure, encodings (RFC 5322, RFC 2045 to 2049).
"""
