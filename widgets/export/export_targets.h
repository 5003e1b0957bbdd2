#pragma once

#include <QString>
#include <string>
#include <vector>

namespace quantscope {

/// A format of another tool in words.
struct ExportTarget {
  std::string format;  ///< of exportFormats()
  QString title;       ///< "AIMET 2.0"
  QString suffix;      ///< "encodings", without the dot
  QString definition;  ///< what is written and who reads it
};

/// Of all exportFormats(), in their order.
const std::vector<ExportTarget>& exportTargets();

}  // namespace quantscope
