#include "tensor/npy_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace quantscope {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// Version 2 could say 4 GiB; NumPy refuses headers over 10,000 bytes itself.
constexpr std::size_t kMaxHeaderBytes = 65536;
constexpr std::size_t kHeaderAlignment = 64;

struct TypeCode {
  std::string_view code;
  ElementType type;
};
constexpr std::array<TypeCode, 12> kTypeCodes{{{"f4", ElementType::Float32},
                                               {"f8", ElementType::Float64},
                                               {"f2", ElementType::Float16},
                                               {"i1", ElementType::Int8},
                                               {"u1", ElementType::UInt8},
                                               {"i2", ElementType::Int16},
                                               {"u2", ElementType::UInt16},
                                               {"i4", ElementType::Int32},
                                               {"u4", ElementType::UInt32},
                                               {"i8", ElementType::Int64},
                                               {"u8", ElementType::UInt64},
                                               {"b1", ElementType::Bool}}};

Error damaged(const std::string& detail, const Place& place) {
  return {ErrorCode::InvalidData, "the array's header is damaged, " + detail, place,
          "write the file again with numpy.save or numpy.savez"};
}

// The header is a Python dictionary literal; this reads the few forms that NumPy writes.
class HeaderScanner {
 public:
  HeaderScanner(std::string_view text, const Place& place) : m_text(text), m_place(place) {}

  bool accept(char wanted) {
    skipSpace();
    if (m_at == m_text.size() || m_text[m_at] != wanted) return false;
    ++m_at;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) throw damaged(std::string("'") + wanted + "' is missing", m_place);
  }

  void expectEnd() {
    skipSpace();
    if (m_at != m_text.size()) throw damaged("something follows its end", m_place);
  }

  std::string_view quoted() {
    skipSpace();
    const char quote = m_at < m_text.size() ? m_text[m_at] : '\0';
    const std::size_t end =
        quote == '\'' || quote == '"' ? m_text.find(quote, m_at + 1) : std::string_view::npos;
    if (end == std::string_view::npos) throw damaged("a text is missing", m_place);
    const std::string_view text = m_text.substr(m_at + 1, end - m_at - 1);
    m_at = end + 1;
    return text;
  }

  bool boolean() {
    skipSpace();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!m_text.substr(m_at).starts_with(word)) continue;
      m_at += word.size();
      return value;
    }
    throw damaged("True or False is missing", m_place);
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> numbers;
    expect('(');
    while (!accept(')')) {
      numbers.push_back(integer());
      if (accept(',')) continue;
      expect(')');
      break;
    }
    return numbers;
  }

 private:
  void skipSpace() {
    while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n')) ++m_at;
  }

  std::int64_t integer() {
    skipSpace();
    std::int64_t number = 0;
    const char* const begin = m_text.data() + m_at;
    const auto [end, failure] = std::from_chars(begin, m_text.data() + m_text.size(), number);
    if (failure != std::errc{}) throw damaged("an extent is not a number that fits", m_place);
    m_at += static_cast<std::size_t>(end - begin);
    accept('L');  // Python 2 wrote 3L
    return number;
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  const Place& m_place;
};

void setType(NpyHeader& header, std::string_view code, const Place& place) {
  if (code.size() == 3) {
    for (const TypeCode& known : kTypeCodes) {
      if (known.code != code.substr(1)) continue;
      header.type = known.type;
      header.bigEndian = code[0] == '>';
      return;
    }
  }
  const bool objects = code.find('O') != std::string_view::npos;
  throw Error(ErrorCode::UnsupportedType,
              objects ? "the array holds Python objects instead of numbers"
                      : "the array has the element type '" + std::string(code) +
                            "', which is neither a number nor a boolean that can be read here",
              place, "save it as numbers, for example numpy.save(file, array.astype('float32'))");
}

Shape toShape(const std::vector<std::int64_t>& dimensions, const Place& place) {
  if (dimensions.size() > Shape::kMaxRank) {
    throw Error(ErrorCode::InvalidData,
                "the array has " + std::to_string(dimensions.size()) + " axes, more than " +
                    std::to_string(Shape::kMaxRank),
                place, "merge some of its axes with reshape");
  }
  for (const std::int64_t extent : dimensions) {
    if (extent < 0) throw damaged("an extent is negative", place);
  }
  return Shape(std::span(dimensions));
}

NpyHeader parseDictionary(std::string_view text, const Place& place) {
  HeaderScanner scanner(text, place);
  NpyHeader header;
  std::optional<std::string_view> type;
  std::optional<bool> fortranOrder;
  std::optional<std::vector<std::int64_t>> shape;

  scanner.expect('{');
  while (!scanner.accept('}')) {
    const std::string_view key = scanner.quoted();
    scanner.expect(':');
    if (key == "descr" && !type) {
      if (scanner.accept('[')) {
        throw Error(ErrorCode::UnsupportedType, "the array holds records instead of numbers", place,
                    "save each of its fields as an array of its own");
      }
      type = scanner.quoted();
    } else if (key == "fortran_order" && !fortranOrder) {
      fortranOrder = scanner.boolean();
    } else if (key == "shape" && !shape) {
      shape = scanner.tuple();
    } else {
      throw damaged("the key '" + std::string(key) + "' does not belong there", place);
    }
    if (scanner.accept(',')) continue;
    scanner.expect('}');
    break;
  }
  scanner.expectEnd();
  if (!type || !fortranOrder || !shape) throw damaged("a key is missing", place);

  setType(header, *type, place);
  header.fortranOrder = *fortranOrder;
  header.shape = toShape(*shape, place);
  return header;
}

// Extents whose product overflows cannot lie within any source.
void requireDataWithin(const NpyHeader& header, std::uint64_t sourceSize, const Place& place) {
  std::uint64_t bytes = byteSize(header.type);
  bool overflow = false;
  for (const std::int64_t extent : header.shape) {
    overflow |= __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes);
  }
  if (!overflow && bytes <= sourceSize - header.dataOffset) return;
  throw Error(ErrorCode::InvalidData,
              "the array of shape " + toString(header.shape) + " needs more bytes than the " +
                  std::to_string(sourceSize - header.dataOffset) + " that follow its header",
              place, "the file is truncated or damaged: fetch or write it again");
}

std::uint64_t littleEndian(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = (number << 8) | std::to_integer<std::uint64_t>(bytes[i]);
  }
  return number;
}

struct TextRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

TextRange findDictionary(ByteSource& source, const Place& place) {
  std::array<std::byte, 12> start{};
  if (source.size() < start.size()) throw damaged("it is too short", place);
  source.read(0, start);
  if (std::string_view(reinterpret_cast<const char*>(start.data()), kMagic.size()) != kMagic) {
    throw Error(ErrorCode::InvalidData, "this is not an array in NumPy's format", place,
                "write it with numpy.save or numpy.savez");
  }
  const int version = std::to_integer<int>(start[6]);
  if (version < 1 || version > 3) {
    throw damaged("version " + std::to_string(version) + " is unknown", place);
  }
  const std::size_t lengthBytes = version == 1 ? 2 : 4;
  const TextRange range{8 + lengthBytes, littleEndian(std::span(start).subspan(8, lengthBytes))};
  if (range.size > kMaxHeaderBytes) throw damaged("it claims to be too long", place);
  if (range.offset + range.size > source.size()) throw damaged("it ends early", place);
  return range;
}

std::string_view typeCode(ElementType type) {
  for (const TypeCode& known : kTypeCodes) {
    if (known.type == type) return known.code;
  }
  throw Error(ErrorCode::UnsupportedType,
              "NumPy has no element type for " + std::string(name(type)));
}

}  // namespace

std::uint64_t NpyHeader::dataBytes() const {
  return static_cast<std::uint64_t>(shape.elementCount()) * byteSize(type);
}

NpyHeader readNpyHeader(ByteSource& source, const Place& place) {
  const TextRange range = findDictionary(source, place);
  std::string text(range.size, '\0');
  source.read(range.offset, std::as_writable_bytes(std::span(text)));
  NpyHeader header = parseDictionary(text, place);
  header.dataOffset = range.offset + range.size;
  requireDataWithin(header, source.size(), place);
  return header;
}

std::string formatNpyHeader(ElementType type, std::span<const std::int64_t> dimensions,
                            std::size_t minimumSize) {
  std::string text = "{'descr': '";
  text += byteSize(type) == 1 ? '|' : '<';
  text += typeCode(type);
  text += "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t extent : dimensions) text += std::to_string(extent) + ", ";
  if (dimensions.size() > 1) text.resize(text.size() - 2);
  if (dimensions.size() == 1) text.pop_back();
  text += "), }";

  constexpr std::size_t kPrefix = 10;
  const std::size_t size = std::max(kPrefix + text.size() + 1, minimumSize);
  const std::size_t padded = (size + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment;
  text.append(padded - kPrefix - text.size() - 1, ' ');
  text += '\n';

  std::string header(kMagic);
  header +=
      {'\x01', '\x00', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace quantscope
