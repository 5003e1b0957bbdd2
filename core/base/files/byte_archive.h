#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"

namespace quantscope {

// Values as bytes and back, bit for bit, little-endian. One description of every type serves both
// directions: carry(archive, object) hands each field over, to a ByteWriter that appends it or to a
// ByteReader that sets it. Types of other folders add overloads of carry() beside their own bytes.

static_assert(std::endian::native == std::endian::little);

template <class Number>
concept PlainNumber = std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>;

/// Appends objects as bytes.
class ByteWriter {
 public:
  static constexpr bool kReads = false;

  template <PlainNumber Number>
  void operator()(const Number& number) {
    m_bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void operator()(const bool& flag) { m_bytes += flag ? '\1' : '\0'; }
  void operator()(const std::string& text) {
    (*this)(std::uint64_t{text.size()});
    m_bytes += text;
  }
  std::string take() { return std::move(m_bytes); }

 private:
  std::string m_bytes;
};

/// The origin of the bytes, for the messages of a ByteReader.
struct BytesOf {
  std::string what;    ///< in the plural: "the kept observations"
  std::string source;  ///< the file
  std::string remedy;
};

/// Reads objects from bytes that may be cut off or damaged: then it throws Error(InvalidData), and
/// never takes more memory than the bytes can fill.
class ByteReader {
 public:
  static constexpr bool kReads = true;

  /// Both must outlive the reader.
  ByteReader(std::string_view bytes, const BytesOf& of) : m_left(bytes), m_of(of) {}

  template <PlainNumber Number>
  void operator()(Number& number) {
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
  }
  void operator()(bool& flag) {
    const char byte = take(1).front();
    if (byte != 0 && byte != 1) fail("are damaged");
    flag = byte == 1;
  }
  void operator()(std::string& text) { text = take(count(1)); }

  /// The number of elements that follow, of `leastBytes` or more each, as far as bytes are left.
  std::size_t count(std::size_t leastBytes) {
    std::uint64_t number = 0;
    (*this)(number);
    if (number > m_left.size() / leastBytes) fail("are cut off");
    return static_cast<std::size_t>(number);
  }
  /// The number of a version, which is one of these.
  std::uint32_t version(std::initializer_list<std::uint32_t> known) {
    std::uint32_t number = 0;
    (*this)(number);
    for (const std::uint32_t each : known) {
      if (number == each) return number;
    }
    fail("are of version " + std::to_string(number));
  }
  bool atEnd() const { return m_left.empty(); }
  /// Fails where something is left.
  void requireEnd() const {
    if (!atEnd()) fail("are damaged");
  }

  /// `what` completes "the kept observations …".
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::InvalidData, m_of.what + " " + what,
                {.file = m_of.source, .node = {}, .value = {}}, m_of.remedy);
  }

 private:
  std::string_view take(std::size_t bytes) {
    if (bytes > m_left.size()) fail("are cut off");
    const std::string_view taken = m_left.substr(0, bytes);
    m_left.remove_prefix(bytes);
    return taken;
  }

  std::string_view m_left;
  const BytesOf& m_of;
};

template <class Archive, PlainNumber Number>
void carry(Archive& archive, Number& number) {
  archive(number);
}

template <class Archive>
void carry(Archive& archive, bool& flag) {
  archive(flag);
}

template <class Archive>
void carry(Archive& archive, std::string& text) {
  archive(text);
}

template <class Archive, class Tag>
void carry(Archive& archive, Id<Tag>& id) {
  archive(id.index);
}

template <class Archive, class Element>
void carry(Archive& archive, std::vector<Element>& elements);
template <class Archive, class Of>
void carry(Archive& archive, std::optional<Of>& optional);
template <class Archive, class First, class Second>
void carry(Archive& archive, std::pair<First, Second>& pair);

template <class Archive, class... Fields>
void carryAll(Archive& archive, Fields&... fields) {
  (carry(archive, fields), ...);
}

/// An enumeration whose values are 0 … `last`.
template <class Archive, class Enum>
void carryEnum(Archive& archive, Enum& value, Enum last) {
  auto number = static_cast<std::uint8_t>(value);
  archive(number);
  if constexpr (Archive::kReads) {
    if (number > static_cast<std::uint8_t>(last)) archive.fail("are damaged");
    value = static_cast<Enum>(number);
  }
}

template <class Archive>
void carry(Archive& archive, std::vector<bool>& flags) {
  if constexpr (Archive::kReads) {
    flags.assign(archive.count(sizeof(char)), false);
  } else {
    archive(std::uint64_t{flags.size()});
  }
  for (std::size_t i = 0; i < flags.size(); ++i) {
    bool flag = flags[i];
    archive(flag);
    flags[i] = flag;
  }
}

template <class Archive, class Element>
void carry(Archive& archive, std::vector<Element>& elements) {
  if constexpr (Archive::kReads) {
    // Reads elements one by one: a false count ends with the bytes.
    const std::size_t count = archive.count(sizeof(char));
    elements.clear();
    if constexpr (PlainNumber<Element>) elements.reserve(count);
    for (std::size_t i = 0; i < count; ++i) carry(archive, elements.emplace_back());
  } else {
    archive(std::uint64_t{elements.size()});
    for (Element& element : elements) carry(archive, element);
  }
}

template <class Archive, class Of>
void carry(Archive& archive, std::optional<Of>& optional) {
  bool there = optional.has_value();
  archive(there);
  if constexpr (Archive::kReads) {
    optional.reset();
    if (there) optional.emplace();
  }
  if (there) carry(archive, *optional);
}

template <class Archive, class First, class Second>
void carry(Archive& archive, std::pair<First, Second>& pair) {
  carryAll(archive, pair.first, pair.second);
}

/// The bytes that carry() writes for an object.
template <class Object>
std::string bytesOf(Object object) {
  ByteWriter writer;
  carry(writer, object);
  return writer.take();
}

/// The reverse, of all bytes. Throws as ByteReader does.
template <class Object>
Object readBytes(std::string_view bytes, const BytesOf& of) {
  ByteReader reader(bytes, of);
  Object object;
  carry(reader, object);
  reader.requireEnd();
  return object;
}

}  // namespace quantscope
