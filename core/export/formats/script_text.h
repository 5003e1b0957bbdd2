#pragma once

#include <string>
#include <string_view>

namespace quantscope {

/// A Python string literal that is exactly this text, in printable ASCII: nothing in it can end it
/// or start a line. Bytes that are not UTF-8 become U+FFFD.
std::string pythonString(std::string_view text);

/// "True", "False"
std::string pythonBool(bool value);

/// A field of a CSV line (RFC 4180). A field that a spreadsheet would take for a formula gets an
/// apostrophe in front.
std::string csvField(std::string_view text);

/// A regular expression that matches this text alone, in the syntax that Python and PCRE share.
std::string regexFor(std::string_view text);

/// A pattern of Python's fnmatch that matches this text alone.
std::string wildcardFor(std::string_view text);

}  // namespace quantscope
