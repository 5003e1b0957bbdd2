#pragma once

#include <QObject>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "jobs/analysis_snapshot.h"
#include "widgets/background/newest_work.h"
#include "widgets/samples/sample_preview.h"

namespace quantscope {

/// One sample, ready to be shown.
struct SampleContent {
  std::vector<InputPreview> inputs;
  std::optional<std::int64_t> label;  ///< its class where labels were given
  QString error;                      ///< why it could not be read; there are no inputs then
};

/// Reads samples of a request's data in the background and keeps the latest of them. The newest
/// request wins: what an older one still wanted is forgotten.
class SampleReader : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// The data of this snapshot from now on, null for none; nothing happens where it is the same.
  void setSnapshot(const SnapshotPtr& snapshot);
  /// Asks for samples by their numbers from 0; those at hand are not read again.
  void request(std::vector<int> samples);
  /// nullptr where it was not read yet. Valid until the next call.
  const SampleContent* find(int sample);

 Q_SIGNALS:
  /// find(sample) has it now.
  void ready(int sample);

 private:
  struct Data;
  void keep(int sample, SampleContent content);

  std::shared_ptr<Data> m_data;                      // read by the one thread of m_reading
  std::list<std::pair<int, SampleContent>> m_cache;  // the latest first
  NewestWork m_reading;
};

}  // namespace quantscope
