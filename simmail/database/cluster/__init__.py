"""Several Redis or Valkey as one: the cluster specification."""
