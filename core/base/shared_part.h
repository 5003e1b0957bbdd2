#pragma once

#include <memory>
#include <utility>

namespace quantscope {

/// A value that is never changed once it is there: copies share it, and a change makes a new one.
template <class Value>
class SharedPart {
 public:
  SharedPart() : SharedPart(Value()) {}
  SharedPart(Value value) : m_value(std::make_shared<const Value>(std::move(value))) {}

  const Value& operator*() const { return *m_value; }
  const Value* operator->() const { return m_value.get(); }

  /// Puts a changed copy in its place; `change` gets the copy.
  template <class Change>
  void edit(Change&& change) {
    Value value = *m_value;
    std::forward<Change>(change)(value);
    *this = std::move(value);
  }

  friend bool operator==(const SharedPart& a, const SharedPart& b) {
    return a.m_value == b.m_value || *a == *b;
  }

 private:
  std::shared_ptr<const Value> m_value;
};

}  // namespace quantscope
