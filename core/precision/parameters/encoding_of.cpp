#include "precision/parameters/encoding_of.h"

namespace quantscope {

Encoding encodingOf(const QuantParams& params) {
  Encoding encoding{params.type, {}, {}, {}, params.groupSize};
  for (const Grid& grid : params.grids) {
    encoding.scales.push_back(grid.scale);
    encoding.zeroPoints.push_back(grid.zeroPoint);
  }
  if (params.perChannel()) encoding.axis = params.axis;
  return encoding;
}

}  // namespace quantscope
