#include "rank_ledger.h"

#include <algorithm>
#include <utility>

namespace quantscope::cli {
namespace {

// Enough to keep a rank's threads busy, few enough that all end at the same time.
constexpr std::size_t kMostAtOnce = 16;
constexpr std::size_t kChunksPerRank = 4;

}  // namespace

RankLedger::RankLedger(const std::vector<std::size_t>& items, std::size_t ranks,
                       const Ranks::Arrived& arrived)
    : m_items(items),
      m_arrived(arrived),
      m_left(ranks),
      m_held(ranks),
      m_done(items.size()),
      m_open(items.size()),
      m_results(items.size()) {
  for (std::size_t i = 0; i < items.size(); ++i) m_left[i % ranks].push_back(i);
}

// Each rank has items of its own, as items at the same distance may share what they start from;
// once it is through with them it takes some of the rank that has most. Larger pieces come first,
// so that the last ones are small.
RankMessage RankLedger::next(int rank) {
  const std::lock_guard lock(m_mutex);
  std::deque<std::size_t>* left = &m_left[static_cast<std::size_t>(rank)];
  if (left->empty()) {
    left = &*std::ranges::max_element(m_left, {}, &std::deque<std::size_t>::size);
  }
  const std::size_t count = std::min(
      left->size(), std::clamp(left->size() / kChunksPerRank, std::size_t{1}, kMostAtOnce));
  RankMessage message;
  for (std::size_t i = 0; i < count; ++i) {
    message.places.push_back(left->front());
    message.items.push_back(m_items[left->front()]);
    left->pop_front();
  }
  m_held[static_cast<std::size_t>(rank)] = message.places;
  return message;
}

void RankLedger::take(const RankMessage& message) {
  const std::lock_guard lock(m_mutex);
  std::vector<std::string> fresh;
  for (std::size_t i = 0; i < message.results.size(); ++i) {
    const std::uint64_t place = message.places[i];
    if (m_done[place]) continue;
    m_done[place] = true;
    --m_open;
    m_results[place] = message.results[i];
    if (m_arrived) fresh.push_back(message.results[i]);
  }
  if (!fresh.empty()) m_arrived(fresh);
}

void RankLedger::giveBack(int rank) {
  const std::lock_guard lock(m_mutex);
  for (const std::uint64_t place : std::exchange(m_held[static_cast<std::size_t>(rank)], {})) {
    if (!m_done[place]) m_left.front().push_front(static_cast<std::size_t>(place));
  }
}

bool RankLedger::complete() const {
  const std::lock_guard lock(m_mutex);
  return m_open == 0;
}

}  // namespace quantscope::cli
