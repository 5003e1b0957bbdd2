#include "widgets/graph/graph_actions.h"

#include <QWidget>

#include "widgets/view/view_actions.h"

namespace quantscope {
namespace {

struct Spec {
  QAction* GraphActions::*action;
  ViewActionSpec spec;
};

constexpr Spec kSpecs[] = {
    {&GraphActions::find,
     {"graph.find", "search", QT_TRANSLATE_NOOP("GraphActions", "Search &Graph"),
      QT_TRANSLATE_NOOP("GraphActions",
                        "Finds layers by their name or operator, and findings by their words"),
      "/", false}},
    {&GraphActions::fit,
     {"graph.fit", "graph-fit", QT_TRANSLATE_NOOP("GraphActions", "&Fit Graph"),
      QT_TRANSLATE_NOOP("GraphActions", "Shows the whole graph"), "F", false}},
    {&GraphActions::zoomIn,
     {"graph.zoom-in", "zoom-in", QT_TRANSLATE_NOOP("GraphActions", "Zoom &In"),
      QT_TRANSLATE_NOOP("GraphActions", "Shows the graph larger"), "Ctrl++; Ctrl+=", false}},
    {&GraphActions::zoomOut,
     {"graph.zoom-out", "zoom-out", QT_TRANSLATE_NOOP("GraphActions", "Zoom &Out"),
      QT_TRANSLATE_NOOP("GraphActions", "Shows the graph smaller"), "Ctrl+-", false}},
    {&GraphActions::expandAll,
     {"graph.expand-all", "expand-all", QT_TRANSLATE_NOOP("GraphActions", "&Expand All Scopes"),
      QT_TRANSLATE_NOOP("GraphActions", "Opens all scopes, so that every layer is seen"), "",
      false}},
    {&GraphActions::collapseAll,
     {"graph.collapse-all", "collapse-all",
      QT_TRANSLATE_NOOP("GraphActions", "&Collapse All Scopes"),
      QT_TRANSLATE_NOOP("GraphActions", "Draws every scope as a card"), "", false}},
    {&GraphActions::leftToRight,
     {"graph.left-to-right", "left-to-right", QT_TRANSLATE_NOOP("GraphActions", "&Left to Right"),
      QT_TRANSLATE_NOOP("GraphActions", "Lets the graph flow to the right instead of downwards"),
      "", true}},
    {&GraphActions::constants,
     {"graph.constants", "constants", QT_TRANSLATE_NOOP("GraphActions", "Show C&onstants"),
      QT_TRANSLATE_NOOP("GraphActions", "Gives weights and other constants boxes of their own"), "",
      true}},
    {&GraphActions::observers,
     {"graph.observers", "observers", QT_TRANSLATE_NOOP("GraphActions", "Show O&bservers"),
      QT_TRANSLATE_NOOP("GraphActions",
                        "Marks where observers sit, and which edges reuse one, close to"),
      "", true}},
};

}  // namespace

GraphActions::GraphActions(QWidget* view) : QObject(view) {
  for (const Spec& each : kSpecs)
    this->*each.action = makeViewAction(each.spec, "GraphActions", view, this);
}

QList<QAction*> GraphActions::all() const {
  QList<QAction*> actions;
  for (const Spec& spec : kSpecs) actions.push_back(this->*spec.action);
  return actions;
}

}  // namespace quantscope
