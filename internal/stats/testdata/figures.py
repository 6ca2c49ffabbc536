"""Writes figures.json: what SciPy says of random pairs.

    python -m venv venv && venv/bin/pip install scipy==1.17.1 && venv/bin/python figures.py

The seed is fixed, so the file only changes with this script or with SciPy.
"""

import json
import pathlib
import random

from scipy import stats

draw = random.Random(59)
cases = []
for number in range(100):
    count = draw.choice([2, 3, 5, 10, 30, 100, 250])
    spread = 10 ** draw.uniform(-3, 3)
    shift = draw.choice([0, 0.05, 0.3, 1, 4]) * spread
    differences = [round(draw.gauss(shift, spread), 6) for _ in range(count)]
    t = stats.ttest_1samp(differences, 0)
    interval = t.confidence_interval(0.95)
    up = draw.randrange(draw.choice([3, 20, 400, 20_000]))
    down = draw.randrange(max(1, 2 * up)) if draw.random() < 0.8 else 0
    changed = up + down
    cases.append({
        "differences": differences,
        "low": interval.low,
        "high": interval.high,
        "p": t.pvalue,
        "up": up,
        "down": down,
        "sign": stats.binomtest(up, changed, 0.5).pvalue if changed else 1.0,
    })

lines = ",\n".join(json.dumps(case) for case in cases)
pathlib.Path(__file__).with_name("figures.json").write_text("[\n" + lines + "\n]\n")
