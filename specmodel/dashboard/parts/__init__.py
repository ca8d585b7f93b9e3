"""What every page is made of: cards, charts, tables, sliders, boxes, downloads, and why."""
