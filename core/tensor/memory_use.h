#pragma once

#include <cstddef>

namespace quantscope {

/// Bytes that all living tensors hold together, give or take 256 KiB for each thread.
std::size_t tensorBytes();

/// The largest that tensorBytes() has been since the last call of restartTensorPeak().
std::size_t peakTensorBytes();
void restartTensorPeak();

}  // namespace quantscope
