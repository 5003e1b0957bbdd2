#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "jobs/analysis_snapshot.h"
#include "widgets/data/sample_preview.h"

namespace quantscope {

/// One sample, ready to be shown.
struct SampleContent {
  std::vector<InputPreview> inputs;
  std::optional<std::int64_t> label;  ///< its class where labels were given
  QString error;                      ///< why it could not be read; there are no inputs then
};

/// Reads samples of a request's data on a thread of its own and keeps the latest of them. The
/// newest request wins: what an older one still wanted is forgotten.
class SampleReader : public QObject {
  Q_OBJECT

 public:
  explicit SampleReader(QObject* parent = nullptr);
  /// Waits for the sample that is being read.
  ~SampleReader() override;

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
  void read(const std::shared_ptr<Data>& data, const std::vector<int>& samples, unsigned request);
  void keep(const std::shared_ptr<Data>& data, int sample, SampleContent content);

  QThreadPool m_thread;                              // of one thread
  std::shared_ptr<Data> m_data;                      // touched by that thread alone
  std::list<std::pair<int, SampleContent>> m_cache;  // the latest first
  std::atomic<unsigned> m_newest{0};
};

}  // namespace quantscope
