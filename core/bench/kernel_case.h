#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "base/workers.h"

namespace quantscope {

/// The limit of a kernel's speed; see KernelSpeed.
enum class KernelLimit { Copy, Read, Arithmetic };

/// A kernel on given data, cut into pieces that threads can take.
struct KernelCase {
  std::string name;
  KernelLimit limit = KernelLimit::Read;
  std::size_t elements = 0;    ///< of the array, or of each thread's
  std::size_t computed = 0;    ///< in one round: all pieces with their repetitions
  double bytesPerElement = 0;  ///< read and written by a kernel that touches nothing twice
  int divisions = 0;           ///< per element
  int operations = 0;          ///< per element, others than divisions
  std::size_t pieces = 1;
  std::function<void()> begin = [] {};         ///< before the first piece of a round
  std::function<void(std::size_t piece)> run;  ///< different pieces from any thread
  std::function<void(const Workers&)> check;   ///< after a round; throws for a wrong answer
};

/// The arrays that kernels work on: `in` holds numbers in ±4, `out` is for results.
struct KernelArrays {
  std::span<const float> in;
  std::span<float> out;
};

/// Arrays are made of blocks of this many floats, 1 MiB; every piece and layout is a multiple or a
/// divisor of it.
constexpr std::size_t kKernelBlock = std::size_t{1} << 18;

/// Floats of an array that stays with its result in the second-level cache of a core.
std::size_t residentElements();

[[noreturn]] void refuseKernelAnswer(const std::string& name, const std::string& what);

}  // namespace quantscope
