#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace quantscope {

/// An index that cannot be mistaken for one of another kind. Negative = none.
template <class Tag>
struct Id {
  std::int32_t index = -1;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<std::int32_t>(i)) {}

  constexpr bool valid() const { return index >= 0; }
  constexpr std::size_t at() const { return static_cast<std::size_t>(index); }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using NodeId = Id<struct NodeTag>;
using ValueId = Id<struct ValueTag>;
using BlockId = Id<struct BlockTag>;

}  // namespace quantscope

template <class Tag>
struct std::hash<quantscope::Id<Tag>> {
  std::size_t operator()(quantscope::Id<Tag> id) const noexcept {
    return std::hash<std::int32_t>{}(id.index);
  }
};
