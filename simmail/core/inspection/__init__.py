"""What can be said of a mail before anybody reads it: rules with evidence, authentication, what clients show."""
