"""What belongs to the whole session: the language."""

from specmodel.dashboard.session.declaration import Declaration, Option
from specmodel.dashboard.session.translation import LANGUAGES

DECLARED = Declaration(options=(Option("lang", "", ("", *LANGUAGES)),))
