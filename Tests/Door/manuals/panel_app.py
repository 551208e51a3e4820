"""A Panel app that greets whoever logged in."""

import panel as pn

pn.pane.Markdown(f"Hello {pn.state.user}").servable()
