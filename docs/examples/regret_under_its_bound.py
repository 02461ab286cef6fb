"""
Regret under its bound
======================

Vovk-Azoury-Warmuth on the diabetes data: after 100, 200, … rounds, its regret against the best fixed
weights in hindsight, and what the theorem allows for those weights.
"""

from sklearn.datasets import load_diabetes

from fenchel import learners

X, y = load_diabetes(return_X_y=True)
learner = learners.vovk_azoury_warmuth(certify=True)

print("rounds     regret      bound   holds")
for begin in range(0, 400, 100):
    learner.learn_many(10.0 * X[begin : begin + 100], y[begin : begin + 100])
    certificate = learner.certificate()
    print(
        f"{learner.rounds:>6}{certificate.achieved:>11.0f}{certificate.bound:>11.0f}   {certificate.holds}"
    )
