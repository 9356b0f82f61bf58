"""Maildirs on disk: directories, names of files, UID lists, flags."""
