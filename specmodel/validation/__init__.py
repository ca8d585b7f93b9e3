"""How far the numbers of this project can be trusted: predicted against measured, on rows that nothing was tuned to.

`points.py` reads rows (a published or measured setting each), `own_runs.py` makes them of the runs that come with the
package; each family of rules turns rows into judged points (`acceptance_rules`, `length_rules`, `cost_rules`,
`load_rules`, `engine_rule`), and `judged.py` says how often a rule was right. `python -m specmodel.validation` prints
the table.
"""

from specmodel.validation.judged import Record, records, summary
from specmodel.validation.point import RULES, Point
from specmodel.validation.points import Row, read_rows
from specmodel.validation.rules import judge
from specmodel.validation.table import judged_points, record

__all__ = ["RULES", "Point", "Record", "Row", "judge", "judged_points", "read_rows", "record", "records", "summary"]
