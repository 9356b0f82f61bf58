"""Questions of languages other than English, said again as statements."""
