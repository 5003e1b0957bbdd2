#include "analysis/error_store.h"

namespace quantscope {

const AnyRecord* ErrorStore::findLocked(ContentId key) {
  const auto found = m_places.find(key);
  if (found == m_places.end()) return nullptr;
  m_entries.splice(m_entries.begin(), m_entries, found->second);
  return &found->second->record;
}

void ErrorStore::insertAny(ContentId key, AnyRecord record) {
  const std::size_t bytes = sizeof(Entry) + byteSize(record);
  const std::lock_guard lock(m_mutex);
  if (const AnyRecord* known = findLocked(key); known != nullptr) {
    if (known->index() == record.index()) return;
    m_bytes -= m_entries.front().bytes;
    m_entries.pop_front();
    m_places.erase(key);
  }
  m_entries.push_front({key, std::move(record), bytes});
  m_places.emplace(key, m_entries.begin());
  m_bytes += bytes;
  shrink();
}

std::vector<std::pair<ContentId, AnyRecord>> ErrorStore::recent(std::size_t bytes) const {
  std::vector<std::pair<ContentId, AnyRecord>> records;
  const std::lock_guard lock(m_mutex);
  for (const Entry& entry : m_entries) {
    if (entry.bytes > bytes) break;
    bytes -= entry.bytes;
    records.emplace_back(entry.key, entry.record);
  }
  return records;
}

std::size_t ErrorStore::budget() const {
  const std::lock_guard lock(m_mutex);
  return m_budget;
}

void ErrorStore::setBudget(std::size_t bytes) {
  const std::lock_guard lock(m_mutex);
  m_budget = bytes;
  shrink();
}

std::size_t ErrorStore::bytes() const {
  const std::lock_guard lock(m_mutex);
  return m_bytes;
}

void ErrorStore::shrink() {
  while (m_bytes > m_budget) {
    m_bytes -= m_entries.back().bytes;
    m_places.erase(m_entries.back().key);
    m_entries.pop_back();
  }
}

}  // namespace quantscope
