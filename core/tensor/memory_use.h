#pragma once

#include <cstddef>

namespace quantscope {

/// Bytes that all living tensors hold, accurate to 256 KiB per thread.
std::size_t tensorBytes();

/// The largest that tensorBytes() has been since the last call of restartTensorPeak().
std::size_t peakTensorBytes();
void restartTensorPeak();

}  // namespace quantscope
