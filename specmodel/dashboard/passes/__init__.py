"""Where the cost of a pass comes from, on the pages under load: a roofline, a line, or measured points."""
