#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace quantscope {

/// Processes that run one job together: all do the same, and share what takes long.
class Ranks {
 public:
  virtual ~Ranks() = default;

  /// 0 … count() − 1; the first one keeps and delivers results.
  virtual std::size_t rank() const = 0;
  virtual std::size_t count() const = 0;
  /// Number of those on this machine, which share its processors and memory.
  virtual std::size_t countHere() const = 0;
  bool isFirst() const { return rank() == 0; }

  /// The result of each item, as bytes. An item gives the same bytes on every rank and beside any
  /// other items.
  using Run = std::function<std::vector<std::string>(std::span<const std::size_t> items)>;
  /// Called on the first rank as results arrive; never concurrently.
  using Arrived = std::function<void(const std::vector<std::string>& results)>;

  /// Hands items out to ranks that have nothing to do. Every rank calls it; the items are those of
  /// the first one. Returns the results in the order of the items on all ranks. Throws what `run`
  /// throws; Cancelled where `cancelled` says so.
  virtual std::vector<std::string> share(const std::vector<std::size_t>& items, const Run& run,
                                         const Arrived& arrived,
                                         const std::function<bool()>& cancelled) = 0;
};

}  // namespace quantscope
