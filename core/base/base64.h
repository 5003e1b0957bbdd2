#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quantscope {

/// Bytes as text of RFC 4648's alphabet, with padding.
std::string toBase64(std::string_view bytes);
/// Nothing where the text is not such; strict, so that every text stands for other bytes.
std::optional<std::string> fromBase64(std::string_view text);

}  // namespace quantscope
