"""One visitor's session: state, options of the link, language, and the queue that runs take turns in."""
