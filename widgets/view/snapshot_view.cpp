#include "widgets/view/snapshot_view.h"

#include <QEvent>

namespace quantscope {

SnapshotView::SnapshotView(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  connect(context.selection, &Selection::changed, this, [this] { markStale(kSelection); });
  connect(context.options, &DisplayOptions::changed, this, [this] { markStale(kOptions); });
  connect(context.options, &DisplayOptions::otherChanged, this, [this] {
    if (showsOther()) markStale(kOptions);
  });
}

void SnapshotView::setSnapshot(SnapshotPtr snapshot) {
  const bool same = m_snapshot && snapshot && showsTheSame(*m_snapshot, *snapshot);
  m_snapshot = std::move(snapshot);
  if (!same) markStale(kSnapshot);
}

// The gains of suggestions arrive one by one, in snapshots that share everything else.
bool SnapshotView::showsTheSame(const AnalysisSnapshot& shown, const AnalysisSnapshot& next) const {
  return shown.result == next.result && shown.observations == next.observations &&
         shown.quantized == next.quantized && shown.stage == next.stage;
}

void SnapshotView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (canBeSeen()) catchUp();
}

void SnapshotView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::EnabledChange && canBeSeen()) catchUp();
}

void SnapshotView::markStale(unsigned what) {
  m_stale |= what;
  if (canBeSeen()) catchUp();
}

void SnapshotView::catchUp() {
  const unsigned stale = std::exchange(m_stale, 0U);
  if ((stale & kSnapshot) != 0) showSnapshot();
  if ((stale & (kSnapshot | kOptions)) != 0) showOptions();
  if (stale != 0) showSelection();
}

}  // namespace quantscope
