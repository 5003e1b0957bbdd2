#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quantscope {

/// 128 bits that stand for a content: equal contents have equal ids wherever they lie and whatever
/// they are called, and different ones differ for all that can be met by chance. XXH3, which is no
/// protection against contents that are made to collide.
struct ContentId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  /// False for the id of nothing, which no content has.
  bool valid() const { return high != 0 || low != 0; }
  friend constexpr auto operator<=>(const ContentId&, const ContentId&) = default;
};

/// 32 lower-case hexadecimal digits.
std::string toString(ContentId id);
/// What toString() gives; nothing for any other text.
std::optional<ContentId> parseContentId(std::string_view text);

/// The id of a list of ids, in this order.
ContentId combined(std::initializer_list<ContentId> ids);

/// Makes the id of a content that is handed over in parts. Parts keep their borders: "ab", "c" and
/// "a", "bc" are different contents.
class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(ContentHasher&&) noexcept;
  ContentHasher& operator=(ContentHasher&&) noexcept;

  ContentHasher& add(std::span<const std::byte> bytes);
  ContentHasher& add(std::string_view text);
  ContentHasher& add(const char* text) { return add(std::string_view(text)); }
  ContentHasher& add(std::uint64_t number);
  ContentHasher& add(ContentId id);

  /// Of all that was added so far.
  ContentId id() const;

 private:
  void append(const void* bytes, std::size_t count);

  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace quantscope

template <>
struct std::hash<quantscope::ContentId> {
  std::size_t operator()(quantscope::ContentId id) const noexcept {
    return static_cast<std::size_t>(id.low);
  }
};
