#include <algorithm>
#include <iterator>

#include "precision/edits/edit_precision.h"

namespace quantscope {

ConfigEdit setDefault(const NodePrecision& precision, std::string sentence) {
  return {
      std::move(sentence),
      {{.place = ConfigStep::Entry::Default, .value = withFields(precision, PrecisionFields())}}};
}

ConfigEdit setBackend(const std::string& backend) {
  return {"set the backend to " + backend,
          {{.place = ConfigStep::Entry::Backend, .value = backend}}};
}

ConfigEdit setConvention(Convention convention) {
  return {std::string("set the convention to ") + name(convention),
          {{.place = ConfigStep::Entry::Convention, .value = convention}}};
}

ConfigEdit setBias(std::optional<BiasRule> rule) {
  ConfigStep step{.place = ConfigStep::Entry::Bias};
  if (rule) step.value = *rule;
  return {std::string("set biases to ") + (rule ? name(*rule) : "what the backend does"), {step}};
}

ConfigEdit setCalibrationSamples(std::size_t count) {
  return {"ask for " + std::to_string(count) + " calibration samples",
          {{.place = ConfigStep::Entry::CalibrationSamples, .value = count}}};
}

ConfigEdit setThresholds(const DetectorThresholds& thresholds) {
  return {"set the thresholds of the detectors",
          {{.place = ConfigStep::Entry::Detectors, .value = thresholds}}};
}

ConfigEdit setEncoding(const PointName& point, const Encoding& encoding) {
  return {"set the encoding of " + describe(point) + " to " + words(encoding),
          {{.place = ConfigStep::Entry::Encoding, .point = point, .value = encoding}}};
}

ConfigEdit clearEncoding(const PointName& point) {
  return {"remove the encoding of " + describe(point),
          {{.place = ConfigStep::Entry::Encoding, .point = point}}};
}

bool isEqualized(const Configuration& config, const std::string& node) {
  return std::ranges::any_of(config.repairs->equalize,
                             [&](const auto& entry) { return entry.first == node; });
}

ConfigEdit equalize(const std::string& node, std::vector<float> factors) {
  return {"equalize " + node,
          {{.place = ConfigStep::Entry::Equalize, .name = node, .value = std::move(factors)}}};
}

ConfigEdit clearEqualization(const std::string& node) {
  return {"no longer equalize " + node, {{.place = ConfigStep::Entry::Equalize, .name = node}}};
}

ConfigEdit together(std::vector<ConfigEdit> edits, std::string sentence) {
  ConfigEdit all{std::move(sentence), {}};
  for (ConfigEdit& edit : edits) {
    std::ranges::move(edit.steps, std::back_inserter(all.steps));
  }
  return all;
}

}  // namespace quantscope
