#include "engine/evaluation/activation_cache.h"

namespace quantscope {

std::optional<StoredValue> ActivationCache::find(ContentId key) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_entries.find(key);
  if (found == m_entries.end()) return std::nullopt;
  renew(found->second);
  return found->second.value;
}

void ActivationCache::touch(ContentId key) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_entries.find(key);
  if (found != m_entries.end()) renew(found->second);
}

void ActivationCache::renew(Entry& entry) {
  const double rank = m_lowest + entry.secondsPerByte;
  // Nothing was dropped since it was used last, so it stands where it has to.
  if (entry.rank->first == rank) return;
  Ranking::node_type node = m_ranking.extract(entry.rank);
  node.key() = rank;
  entry.rank = m_ranking.insert(std::move(node));
}

std::size_t ActivationCache::bytesOf(const StoredValue& value) {
  // Four pointers each for a node of the map with its bucket, for one of the ranking, and for the
  // count of owners of the elements; a head of the allocator for each of the three; and elements
  // that are aligned to a cache line.
  constexpr std::size_t kNodes = 3 * (4 * sizeof(void*) + 16) + 64;
  static_assert(sizeof(std::pair<const ContentId, Entry>) + sizeof(Ranking::value_type) + kNodes <=
                kEntryBytes);
  return value.tensor.byteSize() + kEntryBytes;
}

void ActivationCache::insert(ContentId key, const StoredValue& value, double seconds) {
  const std::size_t bytes = bytesOf(value);
  const std::lock_guard lock(m_mutex);
  if (bytes > m_budget || m_entries.contains(key)) return;
  shrinkTo(m_budget - bytes);
  const double secondsPerByte = seconds / static_cast<double>(bytes);
  const auto rank = m_ranking.emplace(m_lowest + secondsPerByte, key);
  m_entries.emplace(key, Entry{value, secondsPerByte, rank});
  m_bytes += bytes;
}

std::size_t ActivationCache::budget() const {
  const std::lock_guard lock(m_mutex);
  return m_budget;
}

void ActivationCache::setBudget(std::size_t bytes) {
  const std::lock_guard lock(m_mutex);
  m_budget = bytes;
  shrinkTo(bytes);
}

std::size_t ActivationCache::bytes() const {
  const std::lock_guard lock(m_mutex);
  return m_bytes;
}

void ActivationCache::shrinkTo(std::size_t bytes) {
  while (m_bytes > bytes) {
    const auto lowest = m_ranking.begin();
    m_lowest = lowest->first;
    const auto entry = m_entries.find(lowest->second);
    m_bytes -= bytesOf(entry->second.value);
    m_entries.erase(entry);
    m_ranking.erase(lowest);
  }
}

}  // namespace quantscope
