#pragma once

#include <optional>
#include <string>

#include "base/number_text.h"

namespace quantscope {

/// Three significant digits: "31.2", "0.0123", "1,830", "1.20e-07"; "∞", "−∞"; "–" for NaN.
std::string shortNumber(double value);
std::string shortNumber(const std::optional<double>& value);

/// The number with `decimals` digits behind the point, in ASCII.
std::string fixedNumber(double value, int decimals);

/// The number with as many digits as are needed to read the same number back.
std::string exactNumber(double value);

/// "95.8 %" of a share 0 … 1.
std::string percent(double share);

/// "239 kB", "1.24 MB": powers of 1000, three digits.
std::string byteSize(double bytes);

/// "12,345"
std::string grouped(std::size_t count);

}  // namespace quantscope
