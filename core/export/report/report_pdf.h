#pragma once

#include <string>

#include "export/report/report_outline.h"

namespace quantscope {

/// reportOutline() as a PDF file of A4 pages, and a last page with the heatmap, as large as that
/// is. Equal sources give equal bytes.
std::string reportPdf(const ReportSource& source);

}  // namespace quantscope
