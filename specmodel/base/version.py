"""The version of the app: in its reports and in its answers to programs, so that it can be said which one said it."""

VERSION = "1.0.0"
