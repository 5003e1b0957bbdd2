#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace quantscope {

/// Runs the parts of one item of Workers::forEach: calls body(0) … body(count − 1), each exactly
/// once, in any order, on the item's thread and on idle threads of the same Workers. Outside of an
/// item all parts run on the calling thread. The first exception of a part is rethrown and the
/// remaining parts are skipped.
///
/// A part should take at least 20 µs. While the calling thread waits, it runs only parts of this
/// loop, so it may hold locks and use the data of its item.
void forEachPart(std::size_t count, const std::function<void(std::size_t)>& body);

/// Elements per piece for cheap elementwise operations: about 20 µs.
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
