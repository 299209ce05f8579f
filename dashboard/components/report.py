"""The report of a view: the same for the page Export and for ``nnm report``."""

from __future__ import annotations

from dataclasses import replace

from dashboard import theme
from dashboard.components import accuracy, convergence, lists, ordering, people, towers
from dashboard.components.audience import summarise_audience
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.compute.evaluations import Reporting
from dashboard.export import Report, Section, report_html, shell_command
from dashboard.figures.people import Audience, simplex_figure
from dashboard.wording import no_taste, plain
from nnm_core.evaluation import Evaluation
from nnm_core.interpret.towers import Weighting


class _Quiet:
    """Progress that nobody sees."""

    def report(self, share: float, step: str) -> None:
        """Do nothing."""


def command(view: View) -> str:
    """Return what makes this report in a shell; data have their name there, or that of the file that was loaded."""
    is_own = view.spec.data.startswith(store.OWN)
    data, columns = (view.report.source, view.report.arguments) if is_own else (view.spec.data, ())
    if store.improved(view.dataset, view.model.options) is not None:  # which the command would fit otherwise
        columns = ("--starts", "1", *columns)
    return shell_command(data, view.model.options, view.model.seed, columns, view.given_names)


def make_report(
    view: View,
    asked: ordering.Asked,
    weighting: Weighting,
    *,
    address: str = "",
    model_file: str = "",
    most_seconds: float = accuracy.SHORT,
    progress: Reporting | None = None,
) -> str:
    """Return the report as HTML, in light colours, for paper.

    ``asked``: what the page Hierarchy shows; ``weighting``: how items count in the towers; ``model_file``: where the
    model came from, empty for a fit. Computing the accuracy may take ``most_seconds``; what takes longer is in the
    report only if it is known already.
    """
    view = replace(view, look=theme.LIGHT)
    sections, held_out = _accuracy(view, most_seconds, progress or _Quiet())
    figures = convergence.draw_convergence(view, held_out, "rmse" if held_out is None else "mae")
    words = convergence.describe_convergence(view)
    if words:
        note = convergence.about_convergence(view, held_out)
        sections.append(Section("Has it converged?", plain(words), tuple(figures.items()), note))
    opening = summarise_audience(view, weighting)
    if not view.has_taste:
        opening = f"{no_taste(view.words)} {opening}"
    report = Report(
        title=view.title,
        dataset=view.dataset,
        model=view.named_model,
        portraits=view.portraits,
        opening=plain(opening),
        towers=towers.first_towers(view, weighting),
        sections=(*_hierarchy(view, asked), _people(view), *sections),
        address=address,
        command="" if model_file else command(view),
        model_file=model_file,
    )
    return report_html(report, view.look)


def _hierarchy(view: View, asked: ordering.Asked) -> list[Section]:
    found = ordering.for_report(view, asked)
    if found is None:
        return []
    figure, words = found
    note = "Arrows lead from the broad to the narrow; ε is the part that may fall outside."
    return [Section("What includes what", plain(words), [("What includes what", figure)], note)]


def _people(view: View) -> Section:
    """Return the map of everybody, by their largest part."""
    words, n = plain(people.describe_people(view)), view.model.n_stereotypes
    if n == 1:
        return Section("The people", words)
    tastes, colors = people.tastes_of(view), [view.look.color(k) for k in range(n)]
    audience = Audience(view.model.user_ids, tastes, tastes.argmax(axis=1), view.names[:n], colors)
    figure = simplex_figure(audience, view.look, names=view.names)
    return Section("The people", words, [("Everybody between the stereotypes", figure)])


def _accuracy(view: View, most_seconds: float, progress: Reporting) -> tuple[list[Section], Evaluation | None]:
    """Return the section about accuracy, and the cross-validation behind it, where one is known or quick."""
    if not accuracy.is_testable(view):
        return [], None
    if view.dataset.implicit:
        recall = lists.lists_within(view, most_seconds, progress)
        words = accuracy.NOT_TESTED if recall is None else plain(lists.describe_lists(view, recall))
        return [Section("Accuracy", words)], None
    asked, found = accuracy.found_within(view, most_seconds, progress)
    if found.held_out is None:
        return [Section("Accuracy", accuracy.NOT_TESTED)], None
    words = plain(accuracy.describe(view, asked, found))
    figures = [("The error for each number of stereotypes", accuracy.curve_figure(view, asked, found))]
    section = Section("Accuracy", words, figures, accuracy.how_to_read(view, asked, interactive=False))
    return [section], found.held_out.evaluation
