#include "precision/parameters/group_params.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "calibration/observers/observed_magnitudes.h"
#include "kernels/statistics/min_max.h"

namespace quantscope {
namespace {

// Bits that stay unused if a backend reduces the range of bytes.
constexpr int kReducedBits = 1;
constexpr int kByte = 8;

Range constantRange(const Tensor& constant) {
  Range range;
  if (!isFloat(constant.type())) return range;
  const Tensor values = toFloat32(constant);
  const MinMax extremes = minMax(values.values<float>());
  if (!extremes.empty()) {
    range.include(extremes.min);
    range.include(extremes.max);
  }
  return range;
}

// A channel without a number gets the grid of zeros.
void addChannelGrids(const std::vector<Range>& ranges, QuantParams& params) {
  for (const Range& range : ranges) {
    params.grids.push_back(gridFromRange(range.empty ? Range{0, 0, false} : range, params));
  }
}

bool allOfOneValue(const ObserverGroups& groups, const std::vector<std::size_t>& members) {
  return std::ranges::all_of(members, [&](std::size_t member) {
    return groups.points[member].value == groups.points[members.front()].value;
  });
}

// What was not observed is told with the name of the value.
template <class Find>
auto namingValue(const Graph& graph, ValueId value, Find&& find) {
  try {
    return std::forward<Find>(find)();
  } catch (const Error& error) {
    throw error.at({.file = {}, .node = {}, .value = graph[value].name});
  }
}

// Per-channel activations: each channel of one value has its own grid.
std::optional<QuantParams> perChannelParams(const Graph& graph, const ObserverGroups& groups,
                                            const std::vector<std::size_t>& members,
                                            QuantParams params, const Observations& observations,
                                            const JobContext* job) {
  const QuantizationPoint& first = groups.points[members.front()];
  const Place place{.file = {}, .node = {}, .value = graph[first.value].name};
  if (!allOfOneValue(groups, members)) {
    throw Error(ErrorCode::InvalidConfiguration,
                describe(graph, first) + " shares its grid with another value", place,
                "use per-tensor there");
  }
  const int axis = observations.channelAxis(first.value);
  const std::optional<int> wanted = first.precision.granularity.axis;
  if (axis < 0 || (wanted && *wanted != axis)) {
    throw Error(ErrorCode::InvalidConfiguration,
                describe(graph, first) + " has no channels on the axis asked for", place,
                axis < 0 ? "use per-tensor there" : "use per-channel:" + std::to_string(axis));
  }
  params.axis = axis;
  const auto ranges = namingValue(graph, first.value, [&] {
    return observations.channelRanges(first.value, first.precision.observer, params, job);
  });
  addChannelGrids(ranges, params);
  return params;
}

// Ternary and binary: from the magnitudes of all members together.
std::optional<QuantParams> magnitudeParams(const Engine& engine, const ObserverGroups& groups,
                                           const std::vector<std::size_t>& members,
                                           QuantParams params, const Observations& observations) {
  Range range;
  LogLinearHistogram histogram;
  std::set<ValueId> seen;  // a value may be a member on several edges
  for (const std::size_t member : members) {
    const ValueId value = groups.points[member].value;
    if (!seen.insert(value).second) continue;
    if (const Tensor* constant = engine.constant(value)) {
      range.include(constantRange(*constant));
      if (isFloat(constant->type())) histogram.add(toFloat32(*constant).values<float>());
    } else if (observations.observed(value)) {
      range.include(observations.find(value)->range);
      histogram.add(observations.find(value)->logLinear);
    }
  }
  if (range.empty) return std::nullopt;
  params.grids = {magnitudeGrid(params.type, histogram, range)};
  return params;
}

}  // namespace

QuantParams paramsWithoutGrids(const TensorPrecision& precision, const Backend& backend,
                               Convention convention) {
  QuantParams params;
  params.type = precision.type;
  params.qmin = lowestCode(precision.type);
  params.qmax = highestCode(precision.type);
  const bool isByte = isInteger(precision.type) && bitWidth(precision.type) == kByte;
  if (precision.lowest || precision.highest) {  // asked for by hand, they beat the backend's
    params.qmin = precision.lowest.value_or(params.qmin);
    params.qmax = precision.highest.value_or(params.qmax);
  } else if (isByte && backend.reducesRange(convention)) {
    params.qmin >>= kReducedBits;
    params.qmax >>= kReducedBits;
  }
  params.symmetric = precision.symmetric;
  params.dynamic = precision.dynamic;
  params.convention = convention;
  return params;
}

QuantParams ownParams(const Observation& observation, const TensorPrecision& precision,
                      const Backend& backend, Convention convention, const JobContext* job) {
  QuantParams params = paramsWithoutGrids(precision, backend, convention);
  params.dynamic = false;
  const Granularity& granularity = precision.granularity;
  const bool perChannel =
      granularity.kind == Granularity::Kind::PerChannel && observation.channelAxis >= 0 &&
      granularity.axis.value_or(observation.channelAxis) == observation.channelAxis;
  if (!hasScale(params.type)) {
    params.grids = {Grid{}};
  } else if (perChannel) {
    params.axis = observation.channelAxis;
    addChannelGrids(computeChannelRanges(observation, precision.observer, params, job), params);
  } else if (isSignCode(params.type)) {
    params.grids = {magnitudeGrid(params.type, observation.logLinear, observation.range)};
  } else {
    params.grids = {gridFromRange(computeRange(observation, precision.observer, params), params)};
  }
  return params;
}

std::optional<QuantParams> groupParams(const Engine& engine, const ObserverGroups& groups,
                                       std::size_t group, const Backend& backend,
                                       Convention convention, const Observations& observations,
                                       const JobContext* job) {
  const std::vector<std::size_t>& members = groups.members[group];
  const TensorPrecision& precision = groups.points[members.front()].precision;
  QuantParams params = paramsWithoutGrids(precision, backend, convention);
  if (const std::optional<Grid>& fixed = groups.points[members.front()].fixed) {
    params.qmin = lowestCode(params.type);
    params.qmax = highestCode(params.type);
    params.grids = {*fixed};
    return params;
  }
  if (params.dynamic) return params;
  if (!hasScale(params.type)) {
    params.grids = {Grid{}};
    return params;
  }
  if (!precision.range && precision.granularity.kind == Granularity::Kind::PerChannel) {
    if (!observations.observed(groups.points[members.front()].value)) return std::nullopt;
    return perChannelParams(engine.graph(), groups, members, params, observations, job);
  }

  if (isSignCode(params.type) && !precision.range) {
    return magnitudeParams(engine, groups, members, params, observations);
  }
  Range range;
  if (precision.range) {
    range = *precision.range;
  } else {
    for (const std::size_t member : members) {
      const ValueId value = groups.points[member].value;
      if (const Tensor* constant = engine.constant(value)) {
        range.include(constantRange(*constant));
      } else if (observations.observed(value)) {
        range.include(namingValue(engine.graph(), value, [&] {
          return observations.range(value, precision.observer, params);
        }));
      }
    }
  }
  if (range.empty) return std::nullopt;
  params.grids = {gridFromRange(range, params)};
  return params;
}

}  // namespace quantscope
