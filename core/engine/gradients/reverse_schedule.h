#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/gradients/reverse_path.h"
#include "engine/plan.h"

namespace quantscope {

/// How a reverse pass gets the values that it needs within a budget of bytes: the graph is cut into
/// segments, the forward run keeps what later segments start from, and each segment but the last is
/// run again when the reverse pass comes to it (Chen and others, 2016). One segment recomputes
/// nothing.
struct ReverseSchedule {
  struct Segment {
    std::size_t first = 0;  ///< of the path's stops
    std::size_t end = 0;
    std::vector<ValueId> given;        ///< kept values that running it again starts from
    std::shared_ptr<const Plan> plan;  ///< null where nothing has to run again
  };
  std::vector<Segment> segments;
  std::shared_ptr<const Plan> forward;  ///< from the graph's inputs
  std::vector<char> kept;               ///< by value: held from the forward run on
  /// Bytes of values that are held at most, as far as known beforehand.
  std::size_t bytes = 0;
};

/// The schedule without recomputation.
ReverseSchedule wholeSchedule(const Engine& engine, const ReversePath& path,
                              std::span<const ValueId> outputs);

/// The schedule with the fewest segments that holds at most `budget` bytes or, if there is none,
/// the one that holds least. `bytes`: of each value, by value; 0 = not known.
ReverseSchedule scheduleWithin(const Engine& engine, const ReversePath& path,
                               std::span<const ValueId> outputs,
                               const std::vector<std::size_t>& bytes, std::size_t budget);

}  // namespace quantscope
