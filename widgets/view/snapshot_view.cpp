#include "widgets/view/snapshot_view.h"

#include <QEvent>

namespace quantscope {
namespace {

// What suggestions gain comes in one after the other, in snapshots that share all the rest.
bool sameFigures(const SnapshotPtr& a, const SnapshotPtr& b) {
  return a && b && a->result == b->result && a->observations == b->observations &&
         a->quantized == b->quantized && a->stage == b->stage;
}

}  // namespace

SnapshotView::SnapshotView(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  connect(context.selection, &Selection::changed, this, [this] { markStale(kSelection); });
  connect(context.options, &DisplayOptions::changed, this, [this] { markStale(kOptions); });
}

void SnapshotView::setSnapshot(SnapshotPtr snapshot) {
  const bool same = sameFigures(m_snapshot, snapshot);
  m_snapshot = std::move(snapshot);
  if (!same || showsFindings()) markStale(kSnapshot);
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
