#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace quantscope {

/// Text for the inside of an element or a quoted attribute: nothing in it can end either.
/// Bytes that are not UTF-8 become U+FFFD, control characters other than line ends and tabs too.
std::string escapeHtml(std::string_view text);

/// The entity of '<', '>' and '&', which begin markup; empty for other characters.
std::string_view entityOf(char character);

/// JSON for the inside of a script element: no "<" or ">" is left in it that could end the
/// element or begin a comment.
std::string scriptJson(const nlohmann::ordered_json& json);

/// A name of at most `maxBytes` bytes: a longer name loses its middle, which an ellipsis replaces,
/// and no UTF-8 character is cut. `maxBytes` ≥ 8.
std::string shortened(std::string_view name, std::size_t maxBytes);

}  // namespace quantscope
