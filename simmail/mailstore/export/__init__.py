"""A universe in a folder of its own: ordinary Maildirs and lists in lines of JSON, for other programs and servers."""
