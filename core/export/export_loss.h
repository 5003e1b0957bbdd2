#pragma once

#include <string>
#include <vector>

namespace quantscope {

/// Something that a target cannot express, or expresses in another way than it was shown.
struct ExportLoss {
  std::string node;  ///< empty = the whole model
  std::string what;  ///< one sentence without its full stop

  friend bool operator==(const ExportLoss&, const ExportLoss&) = default;
};
using ExportLosses = std::vector<ExportLoss>;

}  // namespace quantscope
