#pragma once

#include <optional>
#include <string>

#include "precision/edits/config_edit.h"

namespace quantscope {

/// The one change of a configuration that improves the outputs most, measured.
struct NextChange {
  ConfigEdit edit;
  std::string node;              ///< the changed node; empty for several
  std::string output;            ///< the worst one before
  std::optional<double> fromDb;  ///< SQNR of the worst output, on all samples
  std::optional<double> toDb;
  double bytes = 0;  ///< of constants, more than before
};

/// "6.2 → 37.1 dB, +424 bytes".
std::string figuresText(const NextChange& change);

}  // namespace quantscope
