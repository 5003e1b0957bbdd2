#include "widgets/charts/batch_chart.h"

#include <QPainter>
#include <algorithm>

#include "base/number_text.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"
#include "widgets/words/range_rows.h"

namespace quantscope {
namespace {

// Below it lines at the ends of each batch would be dots.
constexpr double kNarrow = 4;

}  // namespace

BatchChart::BatchChart(const QString& name, QWidget* parent) : Plot(name, parent) {}

void BatchChart::setObservation(const Observation* observation) {
  m_batches = observation == nullptr ? std::vector<Range>() : observation->batchRanges;
  m_batchesPerRange = observation == nullptr ? 1 : observation->batchesPerRange;
  if (observation != nullptr) setExtent(observation->range.low, observation->range.high);
  update();
}

QString BatchChart::caption() const {
  return m_batchesPerRange == 1 ? tr("%1 batches in order").arg(text(grouped(m_batches.size())))
                                : tr("%1 batches per column").arg(text(grouped(m_batchesPerRange)));
}

QString BatchChart::batchName(std::size_t entry) const {
  const std::size_t first = entry * m_batchesPerRange + 1;
  if (m_batchesPerRange == 1) return tr("Batch %1").arg(text(grouped(first)));
  return tr("Batches %1 to %2")
      .arg(text(grouped(first)), text(grouped(first + m_batchesPerRange - 1)));
}

void BatchChart::paintData(QPainter& painter, const Frame& frame, const Theme& theme) const {
  const double width = frame.area.width() / static_cast<double>(m_batches.size());
  painter.save();
  QColor band = theme.edge;
  band.setAlpha(theme.dark ? 110 : 120);
  for (std::size_t i = 0; i < m_batches.size(); ++i) {
    const Range& batch = m_batches[i];
    if (batch.empty) continue;
    const double left = frame.area.left() + static_cast<double>(i) * width;
    const double top = frame.y(batch.high);
    const double bottom = std::max(frame.y(batch.low), top + 1.5);
    painter.fillRect(QRectF(left, top, width, bottom - top), band);
    if (width < kNarrow) continue;
    painter.setPen(QPen(theme.mutedText, 1.5));
    painter.drawLine(QPointF(left, top), QPointF(left + width, top));
    painter.drawLine(QPointF(left, bottom), QPointF(left + width, bottom));
  }
  painter.restore();
}

int BatchChart::itemAt(const QPointF& place) const {
  const Frame frame = this->frame(size());
  const bool beside = place.x() < frame.area.left() || place.x() >= frame.area.right();
  return isEmpty() || beside ? -1 : frame.slotAt(place.x(), m_batches.size());
}

QString BatchChart::itemWords(int item) const {
  const auto entry = static_cast<std::size_t>(item);
  const Range& batch = m_batches[entry];
  return batchName(entry) + u'\n' +
         (batch.empty ? tr("no finite element") : text(rangeText(batch)));
}

QString batchWords(const Observation& observation) {
  if (observation.batchRanges.size() < 2)
    return BatchChart::tr("A single batch was calibrated: there is nothing to compare.");
  if (!observation.batchToEpoch) return BatchChart::tr("Batch to epoch –: all elements are equal.");
  return BatchChart::tr("Batch to epoch %1: a single batch is on average %2 as wide as all.")
      .arg(shortText(observation.batchToEpoch), text(percent(*observation.batchToEpoch)));
}

QString batchToEpochDefinition() {
  return BatchChart::tr(
      "Mean width of the batches' ranges, divided by the width over all of them. Near 1 the "
      "batches are alike, and few samples suffice to calibrate; near 0 rare outliers set the "
      "range, and a percentile or histogram observer may serve better.");
}

}  // namespace quantscope
