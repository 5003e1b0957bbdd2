#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quantscope {

// Loops that do nothing but what bounds a kernel, to time beside it.

/// out = in with stores that bypass the caches, which saves reading the overwritten lines. Throws
/// InvalidParameters for lengths that differ.
void streamingCopy(std::span<const float> in, std::span<float> out);

/// The exclusive or of all bits: as little work as reading everything allows.
std::uint32_t readThrough(std::span<const float> in);

/// Divides `rounds` times a few vectors of floats that stay in registers; how many floats that
/// were.
std::size_t divideInRegisters(std::size_t rounds);

/// Multiplies and adds `rounds` times a few vectors of floats that stay in registers; how many
/// operations that were, two for each float.
std::size_t multiplyAddInRegisters(std::size_t rounds);

/// The same with one-cycle and multiply operations in turn: `rounds` times; each counts.
std::size_t operateInRegisters(std::size_t rounds);

}  // namespace quantscope
