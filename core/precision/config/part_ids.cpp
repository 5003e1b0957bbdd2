#include <nlohmann/json.hpp>
#include <span>

#include "precision/config/configuration.h"
#include "precision/config/precision_json.h"

namespace quantscope {
namespace {

template <class Number>
void add(const std::vector<Number>& numbers, ContentHasher& hasher) {
  hasher.add(std::as_bytes(std::span(numbers)));
}

void add(const PointName& point, ContentHasher& hasher) {
  hasher.add(point.producer).add(point.consumer);
}

void add(const NodePrecision& precision, ContentHasher& hasher) {
  hasher.add(toJson(precision).dump());
}

void add(const std::vector<std::pair<std::string, NodePrecision>>& entries, ContentHasher& hasher) {
  hasher.add(std::uint64_t{entries.size()});
  for (const auto& [name, precision] : entries) {
    hasher.add(name);
    add(precision, hasher);
  }
}

void add(const HandSharing& groups, ContentHasher& hasher) {
  hasher.add(std::uint64_t{groups.join.size()});
  for (const std::vector<PointName>& points : groups.join) {
    hasher.add(std::uint64_t{points.size()});
    for (const PointName& point : points) add(point, hasher);
  }
  hasher.add(std::uint64_t{groups.part.size()});
  for (const PointName& point : groups.part) add(point, hasher);
}

}  // namespace

ContentId contentId(const PrecisionConfig& config) {
  ContentHasher hasher;
  hasher.add(config.backend).add(name(config.convention));
  hasher.add(config.bias ? name(*config.bias) : "");
  hasher.add(std::uint64_t{config.calibrationSamples});
  add(config.defaults, hasher);
  add(config.opTypes, hasher);
  hasher.add(std::uint64_t{config.patterns.size()});
  for (const PatternPrecision& pattern : config.patterns) {
    hasher.add(pattern.match.expression());
    add(pattern.use, hasher);
  }
  add(config.nodes, hasher);
  add(config.groups, hasher);
  return hasher.id();
}

ContentId contentId(const DetectorThresholds& thresholds) {
  return ContentHasher().add(toJson(thresholds).dump()).id();
}

ContentId contentId(const Encodings& encodings) {
  ContentHasher hasher;
  for (const auto& [point, encoding] : encodings.entries) {
    add(point, hasher);
    hasher.add(name(encoding.type));
    add(encoding.scales, hasher);
    add(encoding.zeroPoints, hasher);
    hasher.add(encoding.axis ? std::to_string(*encoding.axis) : "");
    hasher.add(std::uint64_t{static_cast<std::uint32_t>(encoding.blockSize)});
  }
  return hasher.id();
}

ContentId contentId(const Repairs& repairs) {
  ContentHasher hasher;
  for (const auto& [node, factors] : repairs.equalize) {
    hasher.add(node);
    add(factors, hasher);
  }
  return hasher.id();
}

ContentId Configuration::id() const {
  return combined({precision.id(), detectors.id(), encodings.id(), repairs.id()});
}

}  // namespace quantscope
