#include "base/content_id.h"

#include <array>
#include <charconv>
#include <cstdio>

#define XXH_STATIC_LINKING_ONLY  // the state as a complete type
#include <xxhash.h>

namespace quantscope {
namespace {

constexpr std::size_t kDigits = 16;

ContentId idOf(XXH128_hash_t hash) {
  return {hash.high64, hash.low64};
}

std::optional<std::uint64_t> parseHalf(std::string_view text) {
  for (const char digit : text) {
    if ((digit < '0' || digit > '9') && (digit < 'a' || digit > 'f')) return std::nullopt;
  }
  std::uint64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return result.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string toString(ContentId id) {
  std::array<char, 2 * kDigits + 1> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx",
                static_cast<unsigned long long>(id.high), static_cast<unsigned long long>(id.low));
  return text.data();
}

std::optional<ContentId> parseContentId(std::string_view text) {
  if (text.size() != 2 * kDigits) return std::nullopt;
  const std::optional<std::uint64_t> high = parseHalf(text.substr(0, kDigits));
  const std::optional<std::uint64_t> low = parseHalf(text.substr(kDigits));
  if (!high || !low) return std::nullopt;
  return ContentId{*high, *low};
}

ContentId combined(std::initializer_list<ContentId> ids) {
  return idOf(XXH3_128bits(ids.begin(), ids.size() * sizeof(ContentId)));
}

struct ContentHasher::State {
  XXH3_state_t hash;
};

ContentHasher::ContentHasher() : m_state(std::make_unique<State>()) {
  XXH3_128bits_reset(&m_state->hash);
}

ContentHasher::~ContentHasher() = default;
ContentHasher::ContentHasher(ContentHasher&&) noexcept = default;
ContentHasher& ContentHasher::operator=(ContentHasher&&) noexcept = default;

void ContentHasher::append(const void* bytes, std::size_t count) {
  XXH3_128bits_update(&m_state->hash, bytes, count);
}

ContentHasher& ContentHasher::add(std::span<const std::byte> bytes) {
  add(static_cast<std::uint64_t>(bytes.size()));
  append(bytes.data(), bytes.size());
  return *this;
}

ContentHasher& ContentHasher::add(std::string_view text) {
  return add(std::as_bytes(std::span(text)));
}

ContentHasher& ContentHasher::add(std::uint64_t number) {
  append(&number, sizeof number);
  return *this;
}

ContentHasher& ContentHasher::add(ContentId id) {
  append(&id, sizeof id);
  return *this;
}

ContentId ContentHasher::id() const {
  return idOf(XXH3_128bits_digest(&m_state->hash));
}

}  // namespace quantscope
