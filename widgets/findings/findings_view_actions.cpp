// Navigation in findings, and actions on them.

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QScopedValueRollback>
#include <QTreeView>
#include <algorithm>

#include "detectors/changes/accept_all.h"
#include "widgets/findings/finding_actions.h"
#include "widgets/findings/finding_filters.h"
#include "widgets/findings/findings_model.h"
#include "widgets/findings/findings_view.h"
#include "widgets/look/text.h"
#include "widgets/tables/row_looks.h"
#include "widgets/view/layer_index.h"
#include "widgets/words/finding_places.h"
#include "widgets/words/finding_words.h"

namespace quantscope {

QList<QAction*> FindingsView::findingActions() const {
  return m_actions->all();
}

void FindingsView::goToChosen() {
  const QModelIndex row = m_model->find(m_chosen);
  const Finding* finding = m_model->finding(row);
  if (finding == nullptr || !finding->node.valid()) return;
  follow(row);
  selection().requestGraph();
}

void FindingsView::showPlace(const FindingsPlace& place) {
  FindingsQuery query = m_query.unfiltered();
  query.place = place;
  setQuery(query);
  const std::vector<const Finding*> listed = m_model->listed();
  const bool chosenIsListed = m_model->find(m_chosen).isValid();
  if (!listed.empty() && !chosenIsListed) choose(listed.front()->id);
}

void FindingsView::choose(const std::string& id) {
  if (!m_model->find(id).isValid()) {
    FindingsQuery query = m_query.unfiltered();
    query.withDismissed = query.withDismissed || m_dismissed.contains(id);
    setQuery(query);
  }
  const QModelIndex row = m_model->find(id);
  if (!row.isValid()) return;
  {
    const QScopedValueRollback following(m_following, true);
    m_tree->expand(row.parent());
    revealRow(*m_tree, row);
  }
  follow(row);
}

void FindingsView::step(int by) {
  const std::vector<const Finding*> listed = m_model->listed();
  if (listed.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(listed.size());
  const auto now = std::ranges::find(listed, m_chosen, &Finding::id);
  std::ptrdiff_t next = by > 0 ? by - 1 : count + by;
  if (now != listed.end()) next = now - listed.begin() + by;
  choose(listed[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, count - 1))]->id);
}

std::vector<const Finding*> FindingsView::alike(const Finding& finding) const {
  std::vector<const Finding*> found = m_model->listed();
  std::erase_if(found, [&](const Finding* other) {
    return other->detector != finding.detector || !canBeApplied(*other) ||
           losesPrecision(*snapshot()->detected, *other->suggestion);
  });
  return found;
}

void FindingsView::apply() {
  const Finding* finding = chosen();
  if (finding == nullptr || !canBeApplied(*finding)) return;
  Q_EMIT applyRequested(finding->suggestion->changes,
                        tr("apply a suggestion to %1").arg(text(finding->nodeName)));
}

void FindingsView::applyAlike() {
  const Finding* finding = chosen();
  if (finding == nullptr) return;
  const std::vector<const Finding*> same = alike(*finding);
  std::vector<ConfigChange> changes;
  for (const Finding* other : same) {
    changes.insert(changes.end(), other->suggestion->changes.begin(),
                   other->suggestion->changes.end());
  }
  if (changes.empty()) return;
  Q_EMIT applyRequested(changes, tr("apply %1 suggestions: %2")
                                     .arg(same.size())
                                     .arg(detectorTitle(finding->detector).toLower()));
}

// After a dismissal the selection goes to the next finding in the list.
void FindingsView::dismiss() {
  const std::string id = m_chosen;
  const bool aside = m_dismissed.contains(id);
  if (chosen() == nullptr) return;
  if (!aside && !m_query.withDismissed) {
    const std::vector<const Finding*> listed = m_model->listed();
    const auto now = std::ranges::find(listed, id, &Finding::id);
    if (listed.size() > 1) {
      choose(now + 1 == listed.end() ? (*(now - 1))->id : (*(now + 1))->id);
    }
  }
  Q_EMIT dismissRequested(id, !aside);
}

void FindingsView::copyChosen() {
  if (const Finding* finding = chosen())
    QGuiApplication::clipboard()->setText(findingText(*finding, m_running));
}

void FindingsView::showOnlyLayer() {
  const Finding* finding = chosen();
  if (finding == nullptr) return;
  const auto layer = LayerIndex(*snapshot()->result).find(finding->node);
  if (layer) showPlace(placeOfLayers(*snapshot(), text(finding->nodeName), {*layer}));
}

void FindingsView::showOnlyScope() {
  if (const Finding* finding = chosen())
    showPlace(placeOfScope(*snapshot(), scopeOf(finding->nodeName)));
}

void FindingsView::showOnlyDetector() {
  const Finding* finding = chosen();
  if (finding == nullptr) return;
  FindingsQuery query = m_query.unfiltered();
  query.detector = finding->detector;
  setQuery(query);
}

void FindingsView::showContextMenu(const QPoint& position) {
  QMenu menu(this);
  menu.setToolTipsVisible(true);
  for (QAction* action : m_tree->actions()) {
    const bool begins = action == m_actions->apply || action == m_actions->copy ||
                        action == m_actions->onlyLayer || action->objectName().isEmpty();
    const bool afterOwn = !menu.isEmpty() && !menu.actions().constLast()->objectName().isEmpty();
    if (begins && afterOwn) menu.addSeparator();
    menu.addAction(action);
  }
  if (m_query.filters()) {
    menu.addAction(tr("Cl&ear Filter"), this, &FindingsView::clearFilter);
  }
  menu.exec(m_tree->viewport()->mapToGlobal(position));
}

}  // namespace quantscope
