"""The learners, from the catalogue itself: the table of all, and the frame of each one's page."""

from fenchel_docs.writing import Written, plain, rst, table


class LearnerTable(Written):
    """``{learner-table}``: name, parts, equation, theorem, cost of every learner."""

    def markdown(self):
        from fenchel.learners import CATALOGUE

        head = ("learner", "parts", "equation", "guarantee", "cost of a round")
        lines = [
            (f"[{plain(name)}](learners/{name}.md)", *map(plain, (e.parts, e.equation, e.theorem, e.cost)))
            for name, e in sorted(CATALOGUE.items())
        ]  # fmt: skip
        return table(head, lines)


class LearnerFrame(Written):
    """``{learner} name``: the facts of the catalogue, then the docstring with its tested run."""

    required_arguments = 1

    def markdown(self):
        from fenchel.learners import CATALOGUE

        (name,) = self.arguments
        entry = CATALOGUE[name]
        facts = {
            "for": ", ".join(entry.tasks),
            "parts": entry.parts,
            "equation": entry.equation,
            "theorem": entry.theorem,
            "cost of a round": entry.cost,
            "on the command line": NESTED.get(name, f"``--learner {name}``"),
        }
        head, *rows = [(key, v if "`" in v else plain(v)) for key, v in facts.items()]
        return f"{table(head, rows)}\n\n{rst(f'.. autofunction:: fenchel.learners.{name}')}\n"


NESTED = {
    "hedge": "``--learner hedge:experts=perceptron+arow``",
    "one_against_rest": "``--learner one_against_rest:learner=arow``",
}
