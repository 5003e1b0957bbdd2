#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/per_thread.h"

namespace quantscope {

/// A least-recently-used cache with few entries.
///
/// For what kernels prepare once and use in every run: a kernel is const and runs on many threads
/// at once, so all members are const and lock. Each thread remembers the entries that it has met,
/// and meets them again without a lock, or even a count of owners that threads would fight over:
/// such a pointer holds until the same thread has found `capacity` + 2 others.
template <class Entry>
class RecentCache {
 public:
  using Pointer = std::shared_ptr<const Entry>;

  explicit RecentCache(std::size_t capacity) : m_capacity(capacity) {}

  /// The memory that it takes without entries.
  static std::size_t bytes() {
    return sizeof(RecentCache) + PerThread<std::vector<Pointer>>::bytes();
  }

  /// The entry for which `matches(entry)` holds, else nullptr.
  template <class Matches>
  Pointer find(const Matches& matches) const {
    if (Pointer found = findKnown(matches)) return found;
    const std::lock_guard lock(m_mutex);
    return known(findLocked(matches));
  }

  /// The same, but a missing entry is made; others wait, so that none is made twice. `make()`
  /// returns a Pointer; its exceptions pass through and nothing is cached.
  template <class Matches, class Make>
  Pointer findOrMake(const Matches& matches, const Make& make) const {
    if (Pointer found = findKnown(matches)) return found;
    const std::lock_guard lock(m_mutex);
    if (Pointer found = findLocked(matches)) return known(found);
    Pointer made = make();
    insertLocked(made);
    return known(made);
  }

  void insert(Pointer entry) const {
    const std::lock_guard lock(m_mutex);
    insertLocked(std::move(entry));
  }

 private:
  // Needs no lock: only the thread itself uses its own list.
  template <class Matches>
  Pointer findKnown(const Matches& matches) const {
    std::vector<Pointer>* mine = m_known.mine();
    if (mine == nullptr) return nullptr;
    const auto found =
        std::ranges::find_if(*mine, [&](const Pointer& entry) { return matches(*entry); });
    if (found == mine->end()) return nullptr;
    std::rotate(mine->begin(), found, found + 1);
    return Pointer(Pointer(), mine->front().get());
  }

  // Remembers an entry for the calling thread; those met last stand first.
  Pointer known(Pointer entry) const {
    std::vector<Pointer>* mine = m_known.mine();
    if (mine == nullptr || entry == nullptr) return entry;
    if (mine->size() == m_capacity + 2) mine->pop_back();
    mine->insert(mine->begin(), entry);
    return entry;
  }

  template <class Matches>
  Pointer findLocked(const Matches& matches) const {
    const auto found =
        std::ranges::find_if(m_entries, [&](const Pointer& entry) { return matches(*entry); });
    if (found == m_entries.end()) return nullptr;
    std::rotate(m_entries.begin(), found, found + 1);
    return m_entries.front();
  }

  void insertLocked(Pointer entry) const {
    if (m_entries.size() == m_capacity) m_entries.pop_back();
    m_entries.insert(m_entries.begin(), std::move(entry));
  }

  std::size_t m_capacity;
  mutable std::mutex m_mutex;
  mutable std::vector<Pointer> m_entries;  // most recently used first
  PerThread<std::vector<Pointer>> m_known;
};

}  // namespace quantscope
