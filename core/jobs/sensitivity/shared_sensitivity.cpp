#include "jobs/sensitivity/shared_sensitivity.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "analysis/errors/error_records_bytes.h"
#include "base/error.h"
#include "base/files/byte_archive.h"
#include "base/workers.h"
#include "calibration/observers/observations_bytes.h"
#include "calibration/sample_subset.h"
#include "jobs/computation_origin.h"
#include "jobs/sensitivity/sensitivity_identity.h"

namespace quantscope {
namespace {

// Enough that a run of the start values counts little, few enough to lose little when stopped.
constexpr std::size_t kItemsInGroup = 32;
constexpr const char* kOrigin = "another rank";

/// The errors of one group of items on one feed, as they travel.
struct Parcel {
  std::string origin;  ///< see figuresOrigin()
  std::uint64_t unit = 0;
  std::vector<std::uint64_t> keys;  ///< two words each
  std::vector<std::string> records;
};

template <class Archive>
void carry(Archive& archive, Parcel& parcel) {
  carryAll(archive, parcel.origin, parcel.unit, parcel.keys, parcel.records);
}

std::string packed(std::size_t unit, const FeedErrors& errors) {
  Parcel parcel{figuresOrigin(), unit, {}, {}};
  for (const auto& [key, record] : errors) {
    parcel.keys.push_back(key.high);
    parcel.keys.push_back(key.low);
    parcel.records.push_back(errorRecordToBytes(record));
  }
  return bytesOf(std::move(parcel));
}

// The items of all ranks in groups; a unit of work is a group on a feed.
class Together {
 public:
  Together(Sensitivity& sensitivity, const std::vector<std::size_t>& items, SampleSet& samples,
           AnalysisMemory& memory, Ranks& ranks,
           const std::function<void(const std::vector<SensitivityRow>&)>& note)
      : m_sensitivity(sensitivity),
        m_samples(samples),
        m_memory(memory),
        m_ranks(ranks),
        m_note(note),
        m_feeds(samples.feedCount()) {
    for (const std::size_t item : items) m_open[item / kItemsInGroup].push_back(item);
  }

  void run(JobContext& job) {
    std::vector<std::size_t> units;
    for (const auto& [group, open] : m_open) {
      for (std::size_t feed = 0; feed < m_feeds; ++feed) units.push_back(group * m_feeds + feed);
    }
    m_ranks.share(
        units, [this](std::span<const std::size_t> some) { return measure(some); },
        [this](const std::vector<std::string>& parcels) { keep(parcels); },
        [&job] { return job.cancelled(); });
    if (m_ranks.isFirst()) finishGroups();
  }

 private:
  std::vector<std::string> measure(std::span<const std::size_t> units) {
    if (m_ranks.isFirst()) finishGroups();
    std::map<std::size_t, std::vector<std::size_t>> feedsOf;  // by group
    for (const std::size_t unit : units) feedsOf[unit / m_feeds].push_back(unit % m_feeds);
    std::map<std::size_t, std::string> parcels;  // by unit
    for (auto& [group, feeds] : feedsOf) {
      std::ranges::sort(feeds);
      SampleSubset part(m_samples, feeds);
      const std::vector<FeedErrors> errors =
          m_sensitivity.errorsOn(part, itemsOf(group), "Layers, with other ranks");
      for (std::size_t i = 0; i < feeds.size(); ++i) {
        const std::size_t unit = group * m_feeds + feeds[i];
        parcels[unit] = packed(unit, errors[i]);
      }
    }
    std::vector<std::string> results;
    for (const std::size_t unit : units) results.push_back(std::move(parcels[unit]));
    return results;
  }

  std::vector<std::size_t> itemsOf(std::size_t group) const {
    std::vector<std::size_t> items;
    const std::size_t end = std::min((group + 1) * kItemsInGroup, m_sensitivity.items().size());
    for (std::size_t item = group * kItemsInGroup; item < end; ++item) items.push_back(item);
    return items;
  }

  // Called while the first rank measures.
  void keep(const std::vector<std::string>& parcels) {
    const BytesOf of{"the errors of a rank", kOrigin, "run it again"};
    for (const std::string& bytes : parcels) {
      Parcel parcel;
      ByteReader reader(bytes, of);
      carry(reader, parcel);
      reader.requireEnd();
      requireSameOrigin(parcel);
      if (parcel.keys.size() != 2 * parcel.records.size()) reader.fail("are damaged");
      for (std::size_t i = 0; i < parcel.records.size(); ++i) {
        m_memory.errors.insertAny({parcel.keys[2 * i], parcel.keys[2 * i + 1]},
                                  errorRecordFromBytes(parcel.records[i], kOrigin));
      }
      const std::lock_guard lock(m_mutex);
      ++m_arrived[static_cast<std::size_t>(parcel.unit) / m_feeds];
    }
  }

  static void requireSameOrigin(const Parcel& parcel) {
    if (parcel.origin == figuresOrigin()) return;
    throw Error(ErrorCode::InvalidData,
                "a rank runs another program or has another processor: '" + parcel.origin +
                    "', not '" + figuresOrigin() + "' as the first one",
                {}, kSameOriginRemedy);
  }

  // The rows of the groups of which all errors are there.
  void finishGroups() {
    std::vector<std::size_t> complete;
    {
      const std::lock_guard lock(m_mutex);
      for (const auto& [group, count] : m_arrived) {
        if (count == m_feeds) complete.push_back(group);
      }
      for (const std::size_t group : complete) m_arrived.erase(group);
    }
    for (const std::size_t group : complete) {
      m_note(m_sensitivity.run(m_open.at(group), "Layers, with other ranks"));
    }
  }

  Sensitivity& m_sensitivity;
  SampleSet& m_samples;
  AnalysisMemory& m_memory;
  Ranks& m_ranks;
  const std::function<void(const std::vector<SensitivityRow>&)>& m_note;
  std::size_t m_feeds;
  std::map<std::size_t, std::vector<std::size_t>> m_open;  // items by group
  std::mutex m_mutex;                                      // of what follows
  std::map<std::size_t, std::size_t> m_arrived;            // feeds by group
};

}  // namespace

Observations calibrateOnOne(const Engine& engine, SampleSet& samples,
                            const ObservationSettings& settings, Ranks& ranks, JobContext& job) {
  const auto observe = [&](std::span<const std::size_t>) {
    const int threadsHere = job.workers().threads() * static_cast<int>(ranks.countHere());
    const Workers workers(std::min(threadsHere, Workers::availableCores()));
    const LentWorkers lent(job, workers);
    return std::vector<std::string>{
        observationsToBytes(calibrate(engine, samples, settings, job), engine.graph())};
  };
  const std::string bytes =
      ranks.share({0}, observe, {}, [&job] { return job.cancelled(); }).front();
  return observationsFromBytes(bytes, engine.graph(), kOrigin);
}

void measureTogether(Sensitivity& sensitivity, const std::vector<std::size_t>& items,
                     SampleSet& samples, AnalysisMemory& memory, Ranks& ranks, JobContext& job,
                     const std::function<void(const std::vector<SensitivityRow>&)>& note) {
  Together(sensitivity, items, samples, memory, ranks, note).run(job);
}

}  // namespace quantscope
