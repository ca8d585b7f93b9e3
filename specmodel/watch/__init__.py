"""What watches a decision once it was taken: Prometheus rules and a Grafana dashboard with the numbers it rests on."""

from specmodel.watch.grafana import dashboard_json
from specmodel.watch.levels import Levels, levels_of
from specmodel.watch.rules import rules_yaml

__all__ = ["Levels", "dashboard_json", "levels_of", "rules_yaml"]
