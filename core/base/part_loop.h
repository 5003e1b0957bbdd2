#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace quantscope {

/// Calls body(0) … body(count − 1), each exactly once, in any order: the parts of an item of
/// Workers::forEach, on its own thread and on those of the same Workers that have no item left.
/// Outside of an item all of them run on the calling thread. The first exception thrown by a part
/// is rethrown and the rest is skipped.
///
/// A part should take 20 µs at least. While it waits for the others, the calling thread takes
/// nothing but parts of this loop, so it may hold locks and use what belongs to its item.
void forEachPart(std::size_t count, const std::function<void(std::size_t)>& body);

/// Elements of a piece for operations that do next to nothing to each: some 20 µs.
inline constexpr std::size_t kPieceElements = std::size_t{1} << 15;

/// Calls body(first, end) for neighbouring pieces of 0 … count, as parts of the item at hand. All
/// have `grain` (at least 1) elements, the last one maybe fewer: pieces depend on these two numbers
/// alone.
template <class Body>
void forEachPiece(std::size_t count, std::size_t grain, const Body& body) {
  if (count == 0) return;
  if (count <= grain) return body(std::size_t{0}, count);
  forEachPart((count + grain - 1) / grain, [&](std::size_t piece) {
    body(piece * grain, std::min(count, (piece + 1) * grain));
  });
}

}  // namespace quantscope
