#include "search/joint_ranks.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/files/byte_archive.h"

namespace quantscope {
namespace {

/// What a rank says of an item.
struct JointResult {
  std::string origin;
  std::string place;     // the id of the call, its inputs included
  bool stopped = false;  // then there is no result
  std::string result;
};

template <class Archive>
void carry(Archive& archive, JointResult& result) {
  carryAll(archive, result.origin, result.place, result.stopped, result.result);
}

JointResult unpacked(const std::string& bytes) {
  const BytesOf of{"the figures of a rank", "another rank", "run it again"};
  ByteReader reader(bytes, of);
  JointResult result;
  carry(reader, result);
  reader.requireEnd();
  return result;
}

[[noreturn]] void failApart() {
  throw Error(ErrorCode::InvalidData,
              "the ranks do not search the same: one has another model, other data or another "
              "configuration, or has come to other figures",
              {}, "give all ranks the same files and options");
}

void requireSameOrigin(const std::string& origin, const std::string& own) {
  if (origin == own) return;
  throw Error(
      ErrorCode::InvalidData,
      "a rank runs another program or has another processor: '" + origin + "', not '" + own + "'",
      {}, "run all ranks with the same program on the same kind of processor");
}

}  // namespace

JointRanks::JointRanks(Ranks& ranks, ContentId inputs, std::string origin,
                       std::function<bool()> stop)
    : m_ranks(ranks), m_inputs(inputs), m_origin(std::move(origin)), m_stop(std::move(stop)) {}

std::vector<std::string> JointRanks::share(std::size_t count, ContentId what, const Ranks::Run& run,
                                           const JobContext& job) {
  const std::string place = toString(
      ContentHasher().add(m_inputs).add(m_calls++).add(std::uint64_t{count}).add(what).id());
  std::vector<std::size_t> items(count);
  std::iota(items.begin(), items.end(), std::size_t{0});
  const auto runSome = [&](std::span<const std::size_t> some) {
    // The first rank, which hands the items out, may be at something else: its check tells.
    const bool known = std::ranges::all_of(some, [&](std::size_t item) { return item < count; });
    const bool stopped = m_stop && m_stop();
    std::vector<std::string> results(some.size());
    if (known && !stopped) results = run(some);
    for (std::string& result : results) {
      JointResult joint{m_origin, place, stopped, std::move(result)};
      result = bytesOf(joint);
    }
    return results;
  };
  std::vector<std::string> results =
      m_ranks.share(items, runSome, {}, [&job] { return job.cancelled(); });
  bool stopped = false;
  for (std::string& bytes : results) {
    JointResult joint = unpacked(bytes);
    requireSameOrigin(joint.origin, m_origin);
    if (joint.place != place) failApart();
    stopped = stopped || joint.stopped;
    bytes = std::move(joint.result);
  }
  if (results.size() != count) failApart();
  if (stopped) throw Cancelled();
  return results;
}

void JointRanks::meet(ContentId what, const JobContext& job) {
  share(
      1, what,
      [](std::span<const std::size_t> some) { return std::vector<std::string>(some.size()); }, job);
}

}  // namespace quantscope
