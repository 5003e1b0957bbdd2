#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "analysis/error_records.h"
#include "base/content_id.h"

namespace quantscope {

/// A cache of measurements. The key covers the feed, the value, its reference and everything else
/// the record depends on. It stays within a budget of bytes and drops the least recently used
/// records first. May be used from any thread.
class ErrorStore {
 public:
  explicit ErrorStore(std::size_t budget) : m_budget(budget) {}

  /// Null if the cache has none.
  template <class Record>
  std::shared_ptr<const Record> find(ContentId key) {
    const std::lock_guard lock(m_mutex);
    const AnyRecord* found = findLocked(key);
    return found == nullptr ? nullptr : std::get<std::shared_ptr<const Record>>(*found);
  }

  /// Keeps a record, and hands it back shared.
  template <class Record>
  std::shared_ptr<const Record> insert(ContentId key, Record&& record) {
    auto shared = std::make_shared<const Record>(std::move(record));
    insertAny(key, shared);
    return shared;
  }

  std::size_t budget() const;
  /// Drops records until the rest fits.
  void setBudget(std::size_t bytes);
  std::size_t bytes() const;

 private:
  struct Entry {
    ContentId key;
    AnyRecord record;
    std::size_t bytes;
  };

  const AnyRecord* findLocked(ContentId key);
  void insertAny(ContentId key, AnyRecord record);
  void shrink();

  mutable std::mutex m_mutex;
  std::size_t m_budget;
  std::size_t m_bytes = 0;
  std::list<Entry> m_entries;  // most recently used first
  std::unordered_map<ContentId, std::list<Entry>::iterator> m_places;
};

}  // namespace quantscope
