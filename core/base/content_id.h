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

/// The 128-bit XXH3 hash of some content. Equal contents have equal ids, independent of file name
/// and location. Different contents have different ids except by a negligible chance; XXH3 does not
/// protect against contents made to collide.
struct ContentId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  /// False for the default id, which no content has.
  bool valid() const { return high != 0 || low != 0; }
  friend constexpr auto operator<=>(const ContentId&, const ContentId&) = default;
};

/// 32 lower-case hexadecimal digits.
std::string toString(ContentId id);
/// Reads the text of toString(); nullopt for any other text.
std::optional<ContentId> parseContentId(std::string_view text);

/// The id of a list of ids, in this order.
ContentId combined(std::initializer_list<ContentId> ids);

/// Computes the id of content that arrives in pieces. The borders count: "ab", "c" and "a", "bc"
/// are different contents.
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

  /// The id of everything added so far.
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
