"""Sphinx configuration."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from fenchel_docs.gallery import PACKAGE

from fenchel import __version__

project = "fenchel"
copyright = "2026, the fenchel developers"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "fenchel_docs",
]
# The gallery runs the examples; a build without sphinx-gallery goes without it.
if find_spec("sphinx_gallery"):
    extensions.append(PACKAGE)
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"newsgroups\.py$",  # it asks for files
    "image_scrapers": (),  # no pictures, hence no matplotlib
    "reset_modules": (),
    "download_all_examples": False,
    "write_computation_times": False,
    "show_memory": False,
    "min_reported_time": 1e9,
}
myst_enable_extensions = ["colon_fence", "deflist"]
napoleon_use_ivar = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
exclude_patterns = ["_build", "examples"]
html_theme = "pydata_sphinx_theme"
html_title = "fenchel"
html_static_path = ["_static"]
html_css_files = ["fenchel.css"]
html_favicon = "_static/favicon.svg"
html_context = {"default_mode": "auto"}  # without one the theme complains in the console
# The tables of learners need the room of a second sidebar.
LEARNERS = [f"learners/{page.stem}" for page in Path(__file__).parent.glob("learners/*.md")]
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 4,
    "secondary_sidebar_items": {"**": ["page-toc"], **{page: [] for page in LEARNERS}},
}
html_show_sourcelink = False
# Pages without pages below them have no use for the navigation of their section.
ALONE = (
    "start", "which", "features", "decide", "moving", "formats", "live", "serving", "filters", "export",
    "cluster", "extending", "certificates", "quality", "speed", "faults", "reproduce", "paper", "errata",
    "reference", "architecture",
)  # fmt: skip
html_sidebars = {page: [] for page in ALONE}
nitpicky = False
