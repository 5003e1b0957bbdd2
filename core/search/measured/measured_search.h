#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analyze.h"
#include "base/ranks.h"
#include "search/measured/search_space.h"
#include "search/optimized_config.h"

namespace quantscope {

/// The goal of a search.
struct SearchGoal {
  enum class Kind : std::uint8_t {
    Bits,     ///< at most `limit` bits, in the mean over all weights
    Bytes,    ///< at most `limit` bytes of constants
    Time,     ///< at most `limit` microseconds for a sample, by the cost table
    Speedup,  ///< at least `limit` times as fast as in float32, likewise
    MaxDrop,  ///< at most `limit` of accuracy or top-1 agreement lost, 0 … 1, in as few bytes
  };
  Kind kind = Kind::Bytes;
  double limit = 0;
};

/// What the front of a search with that goal spans: time where the goal is one of time, else bytes.
FrontCost frontCost(SearchGoal::Kind kind);

struct SearchRequest {
  SearchGoal goal;
  std::vector<QuantType> types;  ///< to choose from, beside what layers have as configured
  /// True if the user named these types: a type that no layer can take is then an error.
  bool named = false;
  /// Asked for by goals of time; with others it adds times to what is returned.
  std::shared_ptr<const CostTable> costs = {};
  Ranks* ranks = nullptr;   ///< ranks that search together; null = no others
  std::string origin = {};  ///< what figures depend on besides; all ranks are of the same
  /// Ends the search with the best that is measured; see TimeLimit. Where ranks search together,
  /// all of them do before their next measurement.
  std::function<bool()> stop = {};
};

/// Receives the front so far.
using FrontSink = std::function<void(const std::vector<FrontPoint>&)>;

/// The types to choose from where none are named.
const std::vector<QuantType>& searchTypes();

/// Searches a type for every layer.
///
/// Each layer is measured alone in each of its types: its error at the outputs, in parts of the
/// signal's power. Errors are taken as additive only at first: an integer program proposes a
/// choice, which is measured as a whole, and around it each layer's change is measured anew, until
/// nothing improves. Only whole measurements count, on samples that the search did not see as well:
/// if the start reaches the goal, nothing that is worse there is returned.
///
/// The front spans all proposals from the cheapest to the most expensive, without those that
/// another one beats. What is returned is one of its points, also where another one beats it that
/// is worse than the start on part of the samples or misses the goal. `publish` gets the front as
/// it grows.
///
/// Throws InvalidParameters for a goal that cannot be reached, saying how near it comes, and what
/// findSearchSpace() throws; UnsupportedType for a named type that no layer can take; Cancelled,
/// also where it is stopped before anything that it measured reaches the goal; InvalidData where
/// ranks do not search the same. Bit-identical for any number of threads and ranks.
OptimizedConfig searchMeasured(const std::shared_ptr<const Engine>& engine,
                               const Configuration& start, const Observations& observations,
                               SampleSet& samples, const Labels& labels,
                               const SearchRequest& request, AnalysisMemory& memory,
                               JobContext& job, const FrontSink& publish = {});

}  // namespace quantscope
