"""What the documentation writes by itself, so that it cannot drift from the code."""

from fenchel_docs.catalogue import LearnerFrame, LearnerTable
from fenchel_docs.checks import CheckCode
from fenchel_docs.formulas import keep_formulas
from fenchel_docs.gallery import Gallery
from fenchel_docs.include import IncludeIfPresent
from fenchel_docs.measured import Measured
from fenchel_docs.paper import PaperTable
from fenchel_docs.public import PublicNames

DIRECTIVES = {
    "check-code": CheckCode,
    "gallery": Gallery,
    "include-if-present": IncludeIfPresent,
    "learner": LearnerFrame,
    "learner-table": LearnerTable,
    "measured": Measured,
    "paper-table": PaperTable,
    "public-names": PublicNames,
}


def setup(app):
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.connect("autodoc-process-docstring", keep_formulas, priority=900)
    return {"parallel_read_safe": True}
