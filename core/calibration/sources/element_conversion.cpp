#include "calibration/sources/element_conversion.h"

#include <bit>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "base/number_text.h"
#include "tensor/half.h"

namespace quantscope {
namespace {

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <class T>
constexpr bool kIsFloat = kIsHalf<T> || std::is_floating_point_v<T>;
template <class T>
constexpr bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class T>
double toDouble(T value) {
  if constexpr (kIsHalf<T>) {
    return toFloat(value);
  } else {
    return static_cast<double>(value);
  }
}

// Rounding to float first and to a half type then could round twice in the same direction. Rounding
// to odd in the first step keeps what the second one needs to know: Boldo and Melquiond, "When
// double rounding is odd".
float roundToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto exact = static_cast<double>(nearest);
  if (exact == value || !std::isfinite(nearest)) return nearest;
  const float towardsZero =
      std::abs(exact) > std::abs(value) ? std::nextafter(nearest, 0.0F) : nearest;
  const float away = std::nextafter(towardsZero, std::copysign(INFINITY, nearest));
  const bool isOdd = (std::bit_cast<std::uint32_t>(towardsZero) & 1U) != 0;
  return isOdd ? towardsZero : away;
}

template <class To>
To roundTo(double value) {
  if constexpr (std::is_same_v<To, Float16>) {
    return toFloat16(roundToOdd(value));
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return toBFloat16(roundToOdd(value));
  } else {
    return static_cast<To>(value);
  }
}

std::string doesNotFit(const std::string& value, ElementType wanted) {
  return "the number " + value + " does not fit into the input's type " + std::string(name(wanted));
}

template <class From, class To>
To convert(From value, const Place& place) {
  if constexpr (kIsFloat<From>) {
    const double exact = toDouble(value);
    const To rounded = roundTo<To>(exact);
    if (std::isfinite(exact) && !std::isfinite(toDouble(rounded))) {
      throw Error(ErrorCode::InvalidData, doesNotFit(shortestText(exact), ElementTypeOf<To>::kType),
                  place, "scale the data as the model expects it");
    }
    return rounded;
  } else {
    if (!std::in_range<To>(value)) {
      throw Error(ErrorCode::InvalidData,
                  doesNotFit(std::to_string(value), ElementTypeOf<To>::kType), place,
                  "check that the data belongs to this input");
    }
    return static_cast<To>(value);
  }
}

template <class From>
bool isFinite(From value) {
  if constexpr (kIsFloat<From>) {
    return std::isfinite(toDouble(value));
  } else {
    return true;
  }
}

std::string indexText(const Shape& shape, std::size_t offset) {
  Shape index = shape;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    index[axis] = static_cast<std::int64_t>(offset) % shape[axis];
    offset /= static_cast<std::size_t>(shape[axis]);
  }
  return toString(index);
}

}  // namespace

bool sameKind(ElementType found, ElementType wanted) {
  return isFloat(found) == isFloat(wanted) &&
         (found == ElementType::Bool) == (wanted == ElementType::Bool);
}

Tensor convertElements(const Tensor& tensor, ElementType wanted, const Place& place) {
  if (tensor.type() == wanted) return tensor;
  if (!sameKind(tensor.type(), wanted)) {
    throw Error(ErrorCode::UnsupportedType,
                "the data has " + std::string(name(tensor.type())) +
                    " elements where the model wants " + std::string(name(wanted)),
                place, "save it as " + std::string(name(wanted)));
  }
  Tensor result(wanted, tensor.shape());
  visitElementType(tensor.type(), [&]<class From>() {
    visitElementType(wanted, [&]<class To>() {
      if constexpr ((kIsFloat<From> && kIsFloat<To>) || (kIsInteger<From> && kIsInteger<To>)) {
        const std::span<To> target = result.mutableValues<To>();
        std::size_t i = 0;
        for (const From value : tensor.values<From>())
          target[i++] = convert<From, To>(value, place);
      }
    });
  });
  return result;
}

void requireFinite(const Tensor& tensor, std::size_t sample, const Place& place) {
  visitElementType(tensor.type(), [&]<class T>() {
    const std::span<const T> elements = tensor.values<T>();
    std::size_t count = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (isFinite(elements[i])) continue;
      if (count++ == 0) first = i;
    }
    if (count == 0) return;
    throw Error(ErrorCode::InvalidData,
                "sample " + std::to_string(sample) + " of the data holds " + std::to_string(count) +
                    (count == 1 ? " number that is" : " numbers that are") +
                    " not finite, the first is " + std::to_string(toDouble(elements[first])) +
                    " at " + indexText(tensor.shape(), first),
                place, "repair the data, for example with numpy.nan_to_num");
  });
}

}  // namespace quantscope
