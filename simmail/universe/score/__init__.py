"""The score of one universe: what is graded is read from the event log and the mailboxes."""
