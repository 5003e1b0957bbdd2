#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "base/content_id.h"

namespace quantscope {

/// An immutable value that copies share; a change makes a new value (copy on write). Its id is
/// contentId(value), a function declared beside the type.
template <class Value>
class SharedPart {
 public:
  SharedPart() : SharedPart(Value()) {}
  SharedPart(Value value) : m_part(std::make_shared<const Part>(std::move(value))) {}

  const Value& operator*() const { return m_part->value; }
  const Value* operator->() const { return &m_part->value; }

  /// Equal for equal contents. Computed at the first call, once for all copies.
  ContentId id() const {
    std::call_once(m_part->once, [this] { m_part->id = contentId(m_part->value); });
    return m_part->id;
  }

  /// Replaces the value by a copy that `change` has modified.
  template <class Change>
  void edit(Change&& change) {
    Value value = **this;
    std::forward<Change>(change)(value);
    *this = std::move(value);
  }

  friend bool operator==(const SharedPart& a, const SharedPart& b) {
    return a.m_part == b.m_part || *a == *b;
  }

 private:
  struct Part {
    explicit Part(Value&& content) : value(std::move(content)) {}

    const Value value;
    mutable std::once_flag once;
    mutable ContentId id;
  };

  std::shared_ptr<const Part> m_part;
};

}  // namespace quantscope
