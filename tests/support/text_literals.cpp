#include "support/text_literals.h"

#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "tensor/half.h"

namespace quantscope::test {
namespace {

ElementType elementTypeNamed(const std::string& text, const TextCursor& cursor) {
  if (text == "float") return ElementType::Float32;
  if (text == "double") return ElementType::Float64;
  for (int i = 0; i <= static_cast<int>(ElementType::Bool); ++i) {
    const auto type = static_cast<ElementType>(i);
    if (name(type) == text) return type;
  }
  cursor.fail("'" + text + "' is no element type");
}

bool isNumber(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

bool isInteger(const std::string& text) {
  return isNumber(text) && text.find_first_of(".eEn") == std::string::npos;
}

template <class T>
T toElement(double value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return toFloat16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return toBFloat16(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

// Integers not by way of double, which has no room for 64 bits.
template <class T>
T toElement(const std::string& word) {
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(std::strtoull(word.c_str(), nullptr, 10));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(std::strtoll(word.c_str(), nullptr, 10));
  } else {
    return toElement<T>(std::strtod(word.c_str(), nullptr));
  }
}

// FNV-1a for the seed, then the multiplier of Knuth's MMIX.
class MadeUpElements {
 public:
  explicit MadeUpElements(const std::string& seedName) {
    for (const char letter : seedName) {
      m_state = (m_state ^ static_cast<unsigned char>(letter)) * 1099511628211U;
    }
  }

  double next(ElementType type) {
    m_state = m_state * 6364136223846793005U + 1442695040888963407U;
    const auto bits = static_cast<double>(m_state >> 57);  // 0 … 127
    if (isFloat(type)) return bits / 64 - 1;
    const bool isSigned = name(type).starts_with("int");
    const double small = static_cast<double>(m_state >> 60);  // 0 … 15
    if (type == ElementType::Bool) return small < 8 ? 0 : 1;
    return isSigned ? small - 8 : small;
  }

 private:
  std::uint64_t m_state = 14695981039346656037U;
};

std::vector<std::string> parseWords(TextCursor& text, std::string_view close) {
  std::vector<std::string> words;
  while (!text.take(close)) {
    words.push_back(text.word(kWordEnds));
    if (!text.take(",") && text.peek() != close[0]) text.fail("expected ','");
  }
  return words;
}

Attribute::Data parseList(TextCursor& text) {
  if (text.peek() == '"') {
    std::vector<std::string> strings;
    while (!text.take("]")) {
      strings.push_back(text.quoted());
      text.take(",");
    }
    return strings;
  }
  const std::vector<std::string> words = parseWords(text, "]");
  std::vector<std::int64_t> integers;
  std::vector<float> reals;
  bool integral = true;
  for (const std::string& word : words) {
    integral = integral && isInteger(word);
    integers.push_back(std::strtoll(word.c_str(), nullptr, 10));
    reals.push_back(std::strtof(word.c_str(), nullptr));
  }
  if (integral) return integers;
  return reals;
}

}  // namespace

ValueType parseType(TextCursor& text) {
  ValueType type;
  type.element = elementTypeNamed(text.word(kWordEnds), text);
  if (!text.take("[")) return type;
  type.shape.emplace();
  for (const std::string& word : parseWords(text, "]")) {
    Dimension dimension;
    if (isInteger(word)) {
      dimension.extent = std::strtoll(word.c_str(), nullptr, 10);
    } else if (word != "?") {
      dimension.symbol = word;
    }
    type.shape->push_back(dimension);
  }
  return type;
}

Tensor parseTensor(TextCursor& text, const std::string& seedName) {
  const ValueType type = parseType(text);
  if (!type.shape) text.fail("a constant needs a shape");
  Shape shape;
  for (const Dimension& dimension : *type.shape) {
    if (!dimension.known()) text.fail("a constant's extents must be numbers");
    shape.append(dimension.extent);
  }
  Tensor tensor(*type.element, shape);
  const bool isGiven = text.take("{");
  const std::vector<std::string> words =
      isGiven ? parseWords(text, "}") : std::vector<std::string>();
  if (isGiven && words.size() != tensor.elementCount()) text.fail("wrong number of elements");
  MadeUpElements madeUp(seedName);
  visitElementType(*type.element, [&]<class T>() {
    const std::span<T> target = tensor.mutableValues<T>();
    for (std::size_t i = 0; i < target.size(); ++i) {
      target[i] = isGiven ? toElement<T>(words[i]) : toElement<T>(madeUp.next(*type.element));
    }
  });
  return tensor;
}

Attribute::Data parseAttributeData(TextCursor& text) {
  if (text.peek() == '"') return text.quoted();
  if (text.take("[")) return parseList(text);
  TextCursor ahead = text;
  const std::string word = ahead.word(kWordEnds);
  if (!isNumber(word)) return parseTensor(text, word);
  text = ahead;
  if (isInteger(word)) return static_cast<std::int64_t>(std::strtoll(word.c_str(), nullptr, 10));
  return std::strtof(word.c_str(), nullptr);
}

}  // namespace quantscope::test
