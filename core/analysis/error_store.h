#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/error_records.h"
#include "base/content_id.h"

namespace quantscope {

/// What was measured, by key: of the feed, the value, its reference, and what else the record
/// depends on. Within a budget of bytes; what nobody has asked for the longest goes first. May be
/// used from any thread.
class ErrorStore {
 public:
  explicit ErrorStore(std::size_t budget) : m_budget(budget) {}

  /// Null where it is not there, or is of another kind, as only a file can have it.
  template <class Record>
  std::shared_ptr<const Record> find(ContentId key) {
    const std::lock_guard lock(m_mutex);
    const AnyRecord* found = findLocked(key);
    const auto* record = std::get_if<std::shared_ptr<const Record>>(found);
    return record == nullptr ? nullptr : *record;
  }

  /// Keeps a record, and hands it back shared.
  template <class Record>
  std::shared_ptr<const Record> insert(ContentId key, Record&& record) {
    auto shared = std::make_shared<const Record>(std::move(record));
    insertAny(key, shared);
    return shared;
  }

  /// A record whose type is not known, as one that was kept in a file.
  void insertAny(ContentId key, AnyRecord record);

  /// Those that were asked for or kept last, the latest first, as long as they take at most so many
  /// bytes together.
  std::vector<std::pair<ContentId, AnyRecord>> recent(std::size_t bytes) const;

  std::size_t budget() const;
  /// Drops what does not fit any more.
  void setBudget(std::size_t bytes);
  std::size_t bytes() const;

 private:
  struct Entry {
    ContentId key;
    AnyRecord record;
    std::size_t bytes;
  };

  const AnyRecord* findLocked(ContentId key);
  void shrink();

  mutable std::mutex m_mutex;
  std::size_t m_budget;
  std::size_t m_bytes = 0;
  std::list<Entry> m_entries;  // most recently used first
  std::unordered_map<ContentId, std::list<Entry>::iterator> m_places;
};

}  // namespace quantscope
