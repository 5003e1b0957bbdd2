#pragma once

#include "calibration/observers/observation.h"
#include "widgets/charts/plot.h"

namespace quantscope {

/// The range of each calibration batch as a band, in their order.
class BatchChart : public Plot {
  Q_OBJECT

 public:
  explicit BatchChart(const QString& name, QWidget* parent = nullptr);

  void setObservation(const Observation* observation);

 protected:
  bool isEmpty() const override { return m_batches.size() < 2; }
  void paintData(QPainter& painter, const Frame& frame, const Theme& theme) const override;
  QString caption() const override;
  int itemAt(const QPointF& place) const override;
  QString itemWords(int item) const override;

 private:
  QString batchName(std::size_t entry) const;

  std::vector<Range> m_batches;
  std::size_t m_batchesPerRange = 1;
};

/// How alike the batches are, in words: "Batch to epoch 0.83: …".
QString batchWords(const Observation& observation);
/// The definition of batch to epoch, in a sentence.
QString batchToEpochDefinition();

}  // namespace quantscope
