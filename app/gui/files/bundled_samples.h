#pragma once

#include <QString>
#include <vector>

namespace quantscope {

/// A network that comes with the program.
struct BundledSample {
  QString title;
  QString subtitle;
  QString path;
};

/// The bundled samples that are found: installed beside the program, or in the source tree.
std::vector<BundledSample> bundledSamples();

}  // namespace quantscope
