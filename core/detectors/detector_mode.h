#pragma once

#include <cstdint>

namespace quantscope {

enum class DetectorMode : std::uint8_t {
  Quantscope,  ///< corrects known faults of the published rules
  PyTorch,     ///< the statistics and verdicts of PyTorch's ModelReport, including its faults
};

}  // namespace quantscope
