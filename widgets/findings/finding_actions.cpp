#include "widgets/findings/finding_actions.h"

#include <QWidget>

#include "widgets/view/view_actions.h"

namespace quantscope {
namespace {

struct Spec {
  QAction* FindingActions::*action;
  ViewActionSpec spec;
};

constexpr Spec kSpecs[] = {
    {&FindingActions::goTo,
     {"finding.go", "centre", QT_TRANSLATE_NOOP("FindingActions", "&Show Layer in Graph"),
      QT_TRANSLATE_NOOP("FindingActions", "Brings the layer to the middle of the graph"),
      "Return; Enter"}},
    {&FindingActions::apply,
     {"finding.apply", "check", QT_TRANSLATE_NOOP("FindingActions", "&Apply Suggestion"),
      QT_TRANSLATE_NOOP("FindingActions", "Changes the configuration as suggested"), "A"}},
    {&FindingActions::applyAlike,
     {"finding.apply-alike", "", QT_TRANSLATE_NOOP("FindingActions", "Apply A&ll of This Kind"),
      QT_TRANSLATE_NOOP("FindingActions",
                        "The same for all listed findings of this detector whose suggestion "
                        "loses nothing"),
      "Shift+A"}},
    {&FindingActions::dismiss,
     {"finding.dismiss", "close", QT_TRANSLATE_NOOP("FindingActions", "&Dismiss"),
      QT_TRANSLATE_NOOP("FindingActions", "Puts the finding aside, or brings it back"), "Del"}},
    {&FindingActions::copy,
     {"finding.copy", "copy", QT_TRANSLATE_NOOP("FindingActions", "&Copy as Text"),
      QT_TRANSLATE_NOOP("FindingActions", "Copies all that the finding says"), "Ctrl+C"}},
    {&FindingActions::onlyLayer,
     {"finding.only-layer", "", QT_TRANSLATE_NOOP("FindingActions", "&Only This Layer"),
      QT_TRANSLATE_NOOP("FindingActions", "Lists the findings of this layer alone"), ""}},
    {&FindingActions::onlyScope,
     {"finding.only-scope", "", QT_TRANSLATE_NOOP("FindingActions", "Only This Sco&pe"),
      QT_TRANSLATE_NOOP("FindingActions", "Lists the findings of this scope alone"), ""}},
    {&FindingActions::onlyDetector,
     {"finding.only-detector", "", QT_TRANSLATE_NOOP("FindingActions", "Only This &Kind"),
      QT_TRANSLATE_NOOP("FindingActions", "Lists the findings of this detector alone"), ""}},
};

}  // namespace

FindingActions::FindingActions(QWidget* list) : QObject(list) {
  for (const Spec& each : kSpecs)
    this->*each.action = makeViewAction(each.spec, "FindingActions", list, this);
}

QList<QAction*> FindingActions::all() const {
  QList<QAction*> actions;
  for (const Spec& each : kSpecs) actions.push_back(this->*each.action);
  return actions;
}

}  // namespace quantscope
