#include "search/measured/reached_goal.h"

namespace quantscope {

bool reachesGoal(const Trial& trial, const SearchGoal& goal, double limit) {
  switch (goal.kind) {
    case SearchGoal::Kind::Bits:
      return trial.point.bits <= goal.limit * kOfLimit;
    case SearchGoal::Kind::Bytes:
      return trial.point.bytes <= goal.limit * kOfLimit;
    case SearchGoal::Kind::Time:
    case SearchGoal::Kind::Speedup:
      return trial.point.microseconds.value_or(0) <= limit * kOfLimit;
    case SearchGoal::Kind::MaxDrop:
      break;
  }
  return largestDrop(trial) <= goal.limit * kOfLimit;
}

}  // namespace quantscope
