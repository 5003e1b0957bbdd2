#include "precision/parameters/resolved_encodings.h"

#include <algorithm>
#include <set>

#include "base/configuration_error.h"
#include "precision/parameters/encoded_names.h"
#include "precision/parameters/group_params.h"

namespace quantscope {
namespace {

using Weight = EncodedNames::Weight;

[[noreturn]] void fail(const NamedEncoding& named, const std::string& problem,
                       const std::string& remedy) {
  throw configurationError(named.path, problem, remedy);
}

template <class Key>
void place(std::map<Key, NamedEncoding>& placed, const Key& key, const NamedEncoding& encoding) {
  const auto [entry, isNew] = placed.try_emplace(key, encoding);
  if (isNew || *entry->second.encoding == *encoding.encoding) return;
  fail(encoding,
       "and '" + entry->second.path + "' set different parameters for what shares one grid",
       "give both the same parameters, or remove one of them");
}

// How many scales a tensor of this shape needs; none where its extents are not all known.
std::optional<std::int64_t> scaleCount(const Encoding& encoding, std::size_t axis,
                                       const std::vector<std::int64_t>& shape) {
  if (encoding.blockSize == 0) return shape[axis];
  std::int64_t count = (shape[axis] + encoding.blockSize - 1) / encoding.blockSize;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) return std::nullopt;
    if (i != axis) count *= shape[i];
  }
  return count;
}

int axisWithin(const NamedEncoding& named, const std::vector<std::int64_t>* shape) {
  const int axis = *named.encoding->axis;
  if (shape == nullptr) {
    if (axis >= 0) return axis;
    fail(named, "counts its axis from the last of a tensor of unknown shape",
         "count it from the first");
  }
  const auto rank = static_cast<int>(shape->size());
  if (axis < -rank || axis >= rank) {
    fail(named,
         "has axis " + std::to_string(axis) + ", but its tensor has " + std::to_string(rank) +
             (rank == 1 ? " axis" : " axes"),
         "use one of its axes");
  }
  return axis < 0 ? axis + rank : axis;
}

void requireScales(const NamedEncoding& named, int axis, const std::vector<std::int64_t>& shape) {
  const Encoding& encoding = *named.encoding;
  const auto at = static_cast<std::size_t>(axis);
  if (shape[at] < 0) return;
  const std::optional<std::int64_t> wanted = scaleCount(encoding, at, shape);
  const auto given = static_cast<std::int64_t>(encoding.scales.size());
  if (!wanted || *wanted == given) return;
  fail(named,
       "has " + std::to_string(given) + " scales, but axis " + std::to_string(axis) +
           " of its tensor needs " + std::to_string(*wanted),
       "write a scale for each of its " +
           std::string(encoding.blockSize > 0 ? "blocks" : "channels"));
}

std::optional<std::vector<std::int64_t>> knownShape(const Graph& graph, ValueId value) {
  const std::optional<std::vector<Dimension>>& shape = graph[value].type.shape;
  if (!shape) return std::nullopt;
  std::vector<std::int64_t> extents;
  for (const Dimension& dimension : *shape) extents.push_back(dimension.extent);
  return extents;
}

}  // namespace

ResolvedEncodings::ResolvedEncodings(const Engine& engine, const Encodings& encodings,
                                     const std::vector<FusedLayer>& layers,
                                     const std::vector<bool>& quantized,
                                     const ObserverGroups& groups) {
  if (encodings.empty()) return;
  const EncodedNames names(engine.graph(), layers, groups,
                           quantizedWeights(engine, layers, quantized));
  for (const auto& [point, encoding] : encodings.entries) {
    const NamedEncoding named{encodingPath(point), &encoding};
    const ValueId value = engine.graph().findValue(point.producer);
    const bool isConstant = point.isOutput() && value.valid() && engine.constant(value) != nullptr;
    const PointProblem problem = findProblem(engine.graph(), point);
    if (problem.any() && !isConstant) {
      fail(named, "is of " + describe(point) + ", but " + problem.what, problem.remedy);
    }
    const std::set<std::size_t> atGroups = names.groupsOf(point);
    const std::vector<Weight> weights = names.weightsOf(point);
    for (const std::size_t group : atGroups) place(m_groups, group, named);
    for (const Weight& weight : weights) place(m_weights, weight, named);
    if (atGroups.empty() && weights.empty()) {
      const std::string what =
          isConstant ? "the constant '" + point.producer + "'" : describe(point);
      m_notices.push_back("'" + named.path + "' has no effect: " + what + " is not quantized");
    }
  }
}

const NamedEncoding* ResolvedEncodings::ofGroup(std::size_t group) const {
  const auto found = m_groups.find(group);
  return found == m_groups.end() ? nullptr : &found->second;
}

const NamedEncoding* ResolvedEncodings::ofWeight(NodeId node, std::size_t input) const {
  const auto found = m_weights.find({node, input});
  return found == m_weights.end() ? nullptr : &found->second;
}

PointProblem contradictionOf(const QuantParams& params, const NamedEncoding& named) {
  const Encoding& encoding = *named.encoding;
  if (params.type != encoding.type) {
    return {"is " + std::string(name(encoding.type)) + ", but the configuration asks for " +
                std::string(name(params.type)) + " there",
            "give both the same type"};
  }
  if (params.dynamic) {
    return {"is of what the configuration quantizes dynamically",
            "make it static, or remove the encoding"};
  }
  for (const std::int32_t zeroPoint : encoding.zeroPoints) {
    if (!isInteger(params.type)) continue;
    if (zeroPoint < params.qmin || zeroPoint > params.qmax) {
      return {"has the zero point " + std::to_string(zeroPoint) +
                  ", but the codes in use there are " + std::to_string(params.qmin) + " … " +
                  std::to_string(params.qmax),
              "use one of them, or change qmin, qmax, backend or convention"};
    }
    const std::int32_t middle = symmetricZeroPoint(params.type);
    if (params.symmetric && zeroPoint != middle) {
      return {"has the zero point " + std::to_string(zeroPoint) +
                  ", but the configuration asks for symmetric codes there",
              "write \"symmetric\": false there, or the zero point " + std::to_string(middle)};
    }
  }
  return {};
}

QuantParams withEncoding(QuantParams params, const NamedEncoding& named,
                         const std::vector<std::int64_t>* shape) {
  const Encoding& encoding = *named.encoding;
  const PointProblem problem = contradictionOf(params, named);
  if (problem.any()) fail(named, problem.what, problem.remedy);
  params.axis = -1;
  params.groupSize = 0;
  if (encoding.axis) {
    params.axis = axisWithin(named, shape);
    params.groupSize = encoding.blockSize;
    if (shape != nullptr) requireScales(named, params.axis, *shape);
  }
  params.grids.clear();
  for (std::size_t i = 0; i < encoding.scales.size(); ++i) {
    const float scale = encoding.scales[i];
    // Each number goes to the nearest code.
    const float threshold = params.type == QuantType::Ternary ? scale / 2 : 0;
    params.grids.push_back({scale, encoding.zeroPoints[i], threshold});
  }
  return params;
}

QuantParams encodedGroupParams(const Graph& graph, const ObserverGroups& groups, std::size_t group,
                               const Backend& backend, Convention convention,
                               const NamedEncoding& named) {
  const QuantizationPoint& first = groups.points[groups.members[group].front()];
  QuantParams params = paramsWithoutGrids(first.precision, backend, convention);
  const bool ofOneValue = std::ranges::all_of(groups.members[group], [&](std::size_t member) {
    return groups.points[member].value == first.value;
  });
  if (named.encoding->axis && !ofOneValue) {
    fail(named,
         "has scales along an axis, but " + describe(graph, first) +
             " shares its grid with another value",
         "use one scale there");
  }
  const std::optional<std::vector<std::int64_t>> shape = knownShape(graph, first.value);
  return withEncoding(std::move(params), named, shape ? &*shape : nullptr);
}

}  // namespace quantscope
