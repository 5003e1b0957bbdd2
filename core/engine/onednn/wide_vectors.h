#pragma once

namespace quantscope {

/// Whether oneDNN may use vectors of 64 bytes. Where it or our own kernels can compute something,
/// this decides: not the instruction set of our kernels, which have the same bits on all, while
/// those of oneDNN may differ.
bool hasWideVectors();

}  // namespace quantscope
