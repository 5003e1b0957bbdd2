#pragma once

#include <string>
#include <string_view>

namespace quantscope {

/// Text that Markdown (CommonMark with GitHub's tables) shows as it is, on one line: as a paragraph
/// or a part of one, as a heading, list item or cell of a table. Nothing in it becomes a link,
/// HTML, emphasis or the end of a cell. Line ends, control characters and bytes that are not UTF-8
/// become U+FFFD.
std::string escapeMarkdown(std::string_view text);

}  // namespace quantscope
