"""The examples with what they print, where sphinx-gallery is installed to run them."""

from fenchel_docs.writing import Written

PACKAGE = "sphinx_gallery.gen_gallery"


class Gallery(Written):
    """``{gallery}``: the way to the pages that sphinx-gallery makes, or the command that does."""

    def markdown(self):
        if PACKAGE in self.state.document.settings.env.app.extensions:
            return "```{toctree}\n:maxdepth: 1\n\ngallery/index\n```"
        return "`make docs` installs sphinx-gallery, and makes a page of each."
