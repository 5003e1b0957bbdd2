#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/content_id.h"

namespace quantscope {

/// Records by key, within a budget of bytes; the least recently used record is dropped first. May
/// be used from any thread.
///
/// `AnyRecord` is a std::variant of std::shared_ptr<const Record> for each kind of record, and
/// byteSize(const AnyRecord&) gives the size of one.
template <class AnyRecord>
class ContentStore {
 public:
  explicit ContentStore(std::size_t budget) : m_budget(budget) {}

  /// Null where it is not there, or is of another kind, as only a file can have it.
  template <class Record>
  std::shared_ptr<const Record> find(ContentId key) {
    const std::lock_guard lock(m_mutex);
    const auto* record = std::get_if<std::shared_ptr<const Record>>(findLocked(key));
    return record == nullptr ? nullptr : *record;
  }

  /// The same for a record of any kind; nullopt where it is not there.
  std::optional<AnyRecord> findAny(ContentId key) {
    const std::lock_guard lock(m_mutex);
    const AnyRecord* record = findLocked(key);
    return record == nullptr ? std::nullopt : std::optional(*record);
  }

  /// Keeps a record, and hands it back shared.
  template <class Record>
  std::shared_ptr<const Record> insert(ContentId key, Record&& record) {
    auto shared = std::make_shared<const Record>(std::move(record));
    insertAny(key, shared);
    return shared;
  }

  /// The record of a key, from make() where it is not there; of an invalid key always.
  template <class Record, class Make>
  std::shared_ptr<const Record> get(ContentId key, Make&& make) {
    if (!key.valid()) return std::make_shared<const Record>(make());
    if (std::shared_ptr<const Record> known = find<Record>(key)) return known;
    return insert(key, Record(make()));
  }

  /// Keeps a record of any type. One that is larger than the budget is not kept, and drops no
  /// other.
  void insertAny(ContentId key, AnyRecord record) {
    const std::size_t bytes = sizeof(Entry) + byteSize(record);
    const std::lock_guard lock(m_mutex);
    if (bytes > m_budget) return;
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

  /// The most recently used records, latest first, with at most `bytes` in total. The first record
  /// that no longer fits ends the list.
  std::vector<std::pair<ContentId, AnyRecord>> recent(std::size_t bytes) const {
    std::vector<std::pair<ContentId, AnyRecord>> records;
    const std::lock_guard lock(m_mutex);
    for (const Entry& entry : m_entries) {
      if (entry.bytes > bytes) break;
      bytes -= entry.bytes;
      records.emplace_back(entry.key, entry.record);
    }
    return records;
  }

  std::size_t budget() const {
    const std::lock_guard lock(m_mutex);
    return m_budget;
  }
  /// Drops records that no longer fit.
  void setBudget(std::size_t bytes) {
    const std::lock_guard lock(m_mutex);
    m_budget = bytes;
    shrink();
  }
  std::size_t bytes() const {
    const std::lock_guard lock(m_mutex);
    return m_bytes;
  }

 private:
  struct Entry {
    ContentId key;
    AnyRecord record;
    std::size_t bytes;
  };

  const AnyRecord* findLocked(ContentId key) {
    const auto found = m_places.find(key);
    if (found == m_places.end()) return nullptr;
    m_entries.splice(m_entries.begin(), m_entries, found->second);
    return &found->second->record;
  }

  void shrink() {
    while (m_bytes > m_budget) {
      m_bytes -= m_entries.back().bytes;
      m_places.erase(m_entries.back().key);
      m_entries.pop_back();
    }
  }

  mutable std::mutex m_mutex;
  std::size_t m_budget;
  std::size_t m_bytes = 0;
  std::list<Entry> m_entries;  // most recently used first
  std::unordered_map<ContentId, typename std::list<Entry>::iterator> m_places;
};

}  // namespace quantscope
