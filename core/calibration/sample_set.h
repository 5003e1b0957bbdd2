#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "base/files/file_stamp.h"
#include "calibration/sample_source.h"

namespace quantscope {

/// Samples with random access. Feeds that fit into a budget of bytes are kept after the first read;
/// others are read again. May be used from any thread.
///
/// Every feed has the id of its content. A feed that has changed since it was first read is an
/// Error(InvalidData), so that no result mixes old and new data.
class SampleSet : public SampleSource {
 public:
  static constexpr std::size_t kDefaultBudget = std::size_t{256} << 20;

  /// `stamp`: of the files behind the source, when it was opened.
  explicit SampleSet(std::unique_ptr<SampleSource> source, std::size_t budget = kDefaultBudget,
                     FileStamp stamp = {});

  const FileStamp& stamp() const { return m_stamp; }

  std::string description() const override { return m_source->description(); }
  bool synthetic() const override { return m_source->synthetic(); }
  std::size_t sampleCount() const override { return m_source->sampleCount(); }
  std::size_t feedCount() const override { return m_ids.size(); }
  Feed read(std::size_t index) override;

  /// Throws Error(InvalidData) if a feed has changed on disk since it was read. Costs next to
  /// nothing while the stamp of the files is that of the constructor; after that, feeds are read
  /// once more.
  void requireUnchanged();

 private:
  struct Kept {
    std::size_t index;
    Feed feed;
    std::size_t bytes;
  };

  Feed readAgain(std::size_t index);
  void keep(std::size_t index, const Feed& feed);

  std::unique_ptr<SampleSource> m_source;
  std::size_t m_budget;
  FileStamp m_stamp;
  std::mutex m_mutex;
  std::vector<ContentId> m_ids;  // by feed; invalid where it was not read yet
  std::list<Kept> m_kept;        // most recently read first
  std::size_t m_bytes = 0;
};

}  // namespace quantscope
