#include "detectors/ranges/constant_batches.h"

#include <algorithm>
#include <set>

#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

/// The calibration record of a value by channel; null if it says nothing about batches.
const ModelReport* tellingReport(const DetectorInput& input, const Observation& observation) {
  const ModelReport* report = reportFor(input, observation);
  if (report == nullptr || observation.batches == 0) return nullptr;
  const bool severalElements = observation.count > report->channels.size() * observation.batches;
  return severalElements || input.mode == DetectorMode::PyTorch ? report : nullptr;
}

bool isDead(const DetectorInput& input, const ChannelReport& channel) {
  return input.mode == DetectorMode::Quantscope && widthOf(channel.range) == 0;
}

std::string sentence(const Finding& finding, std::size_t most, std::size_t batches) {
  const std::string channels = finding.channels.size() == 1
                                   ? "Channel " + std::to_string(finding.channels.front())
                                   : std::to_string(finding.channels.size()) + " channels";
  return channels + " of what goes into '" + finding.nodeName + "' held one number throughout " +
         (finding.channels.size() == 1 ? "" : "up to ") + std::to_string(most) + " of " +
         std::to_string(batches) + (batches == 1 ? " batch." : " batches.");
}

std::optional<Finding> judge(const DetectorInput& input, NodeId lead, ValueId value) {
  const Observation* observation = input.observations.find(value);
  const ModelReport* report = observation == nullptr ? nullptr : tellingReport(input, *observation);
  if (report == nullptr) return std::nullopt;
  Finding finding = findingAt(input, "constant_batches", lead);
  std::size_t most = 0;
  for (std::size_t c = 0; c < report->channels.size(); ++c) {
    const ChannelReport& channel = report->channels[c];
    if (channel.constantBatches == 0 || isDead(input, channel)) continue;
    finding.channels.push_back(static_cast<std::int64_t>(c));
    most = std::max(most, channel.constantBatches);
  }
  if (finding.channels.empty()) return std::nullopt;
  finding.value = value;
  finding.statistic = static_cast<double>(most) / static_cast<double>(observation->batches);
  finding.evidence = Evidence::ChannelRanges;
  finding.text = sentence(finding, most, observation->batches);
  finding.why =
      "Such a batch says nothing of how far a channel reaches; where many do, its range rests on "
      "few samples.";
  finding.suggestion =
      Suggestion{"Look at the data: whether these batches are what the model will meet.", {}, {}};
  return finding;
}

}  // namespace

std::vector<Finding> findConstantBatches(const DetectorInput& input) {
  std::vector<Finding> findings;
  std::set<ValueId> seen;
  for (const FusedLayer& layer : input.layers.all) {
    const ValueId value = dataInput(input.engine, input.graph()[layer.lead()]);
    if (!value.valid() || !concerns(input, layer.lead()) || !seen.insert(value).second) continue;
    if (std::optional<Finding> finding = judge(input, layer.lead(), value)) {
      findings.push_back(*std::move(finding));
    }
  }
  return findings;
}

}  // namespace quantscope
