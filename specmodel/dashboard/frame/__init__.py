"""Around every page: navigation, sidebar, the link, response headers, what is loaded before the first visitor."""
