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
            "on the command line": command(name, entry.tasks),
        }
        head, *rows = [(key, v if "`" in v else plain(v)) for key, v in facts.items()]
        return f"{table(head, rows)}\n\n{rst(f'.. autofunction:: fenchel.learners.{name}')}\n"


def command(name, tasks):
    """What to type after ``fenchel train DATA``."""
    from fenchel.cli.options import TASKS
    from fenchel.learners import NESTED

    if not set(tasks) & set(TASKS):
        return "from Python alone"
    inner = {"experts": ":experts=perceptron+arow", "learner": ":learner=arow"}
    return f"``--learner {name}{inner.get(NESTED.get(name), '')}``"
