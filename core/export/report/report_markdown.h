#pragma once

#include <string>

#include "export/report/report_outline.h"

namespace quantscope {

/// reportOutline() as one Markdown file with GitHub's tables. Names from the model are escaped.
std::string reportMarkdown(const ReportSource& source);

}  // namespace quantscope
