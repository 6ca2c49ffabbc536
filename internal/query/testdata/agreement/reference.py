"""Writes figures that others compute, for the tests of agreement: python3 reference.py, with scipy and scikit-learn.

kappa.json stands here, correlations.json beside the suite of the trace store.
"""

import json
import random
from pathlib import Path

import scipy
import sklearn
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import cohen_kappa_score, confusion_matrix

here = Path(__file__).parent
draw = random.Random(62)


def rated(labels, count, agree):
    """Pairs of two raters who agree with this probability, else by chance."""
    pairs = []
    for _ in range(count):
        a = draw.choice(labels)
        pairs.append((a, a if draw.random() < agree else draw.choice(labels)))
    return pairs


def kappas(name, labels, pairs):
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    return {
        "name": name,
        "matrix": confusion_matrix(a, b, labels=labels).tolist(),
        "kappa": cohen_kappa_score(a, b, labels=labels),
        "quadratic": cohen_kappa_score(a, b, labels=labels, weights="quadratic"),
    }


def correlations(name, a, b):
    return {
        "name": name,
        "a": a,
        "b": b,
        "pearson": pearsonr(a, b).statistic,
        "spearman": spearmanr(a, b).statistic,
        "meanAbsoluteError": sum(abs(x - y) for x, y in zip(a, b)) / len(a),
    }


yes_no, five = ["False", "True"], ["awful", "bad", "fair", "good", "great"]
kappa_cases = [
    kappas("half agree", yes_no, rated(yes_no, 200, 0.5)),
    kappas("all agree", yes_no, rated(yes_no, 50, 1)),
    kappas("never agree", yes_no, [("True", "False"), ("False", "True")] * 10),
    kappas("chance", five, rated(five, 500, 0)),
    kappas("five categories", five, rated(five, 1000, 0.7)),
    kappas("one is rare", yes_no, [("True", "True")] * 95 + [("True", "False")] * 3 + [("False", "True")] * 2),
    kappas("a category of one rater only", five, [("good", "great"), ("good", "good"), ("bad", "bad"), ("awful", "bad")] * 7),
]

noise = [draw.gauss(0, 1) for _ in range(400)]
stars = [draw.randint(1, 5) for _ in range(300)]
correlation_cases = [
    correlations("with noise", [i / 400 for i in range(400)], [i / 400 + n / 4 for i, n in enumerate(noise)]),
    correlations("many ties", stars, [min(5, max(1, s + draw.choice([-1, 0, 0, 1]))) for s in stars]),
    correlations("far from zero", [1e9 + i for i in range(100)], [1e9 + i + draw.random() for i in range(100)]),
    correlations("reversed", list(range(50)), [-(i**3) for i in range(50)]),
    correlations("yes and no", [draw.randint(0, 1) for _ in range(100)], [draw.randint(0, 1) for _ in range(100)]),
    correlations("three pairs", [0.1, 0.2, 0.4], [1.0, 3.0, 2.0]),
]

by = f"scikit-learn {sklearn.__version__}, scipy {scipy.__version__}"
(here / "kappa.json").write_text(json.dumps({"by": by, "cases": kappa_cases}, indent=1) + "\n")
beside = here.parents[2] / "tracestore/tracestoretest/testdata/correlations.json"
beside.write_text(json.dumps({"by": by, "cases": correlation_cases}) + "\n")
