#include "detectors/findings/detector_report_bytes.h"

#include "precision/config/precision_bytes.h"

namespace quantscope {
namespace {

constexpr std::uint32_t kReportVersion = 8;

}  // namespace

template <class Archive>
void carry(Archive& archive, PointName& point) {
  carryAll(archive, point.producer, point.consumer);
}

template <class Archive>
void carry(Archive& archive, ConfigChange& change) {
  carryAll(archive, change.node, change.weight, change.activation, change.output, change.float32,
           change.removesEntry, change.bias, change.inputFactors, change.split, change.unmerge);
}

template <class Archive>
void carry(Archive& archive, OutputGain& gain) {
  carryAll(archive, gain.output, gain.gainDb);
}

template <class Archive>
void carry(Archive& archive, Suggestion& suggestion) {
  carryAll(archive, suggestion.text, suggestion.changes, suggestion.gainDb, suggestion.outputGains,
           suggestion.bytes, suggestion.gainEstimated);
}

template <class Archive>
void carry(Archive& archive, MemberChannels& member) {
  carryAll(archive, member.node, member.channels);
}

template <class Archive>
void carry(Archive& archive, Finding& finding) {
  carryAll(archive, finding.id, finding.detector, finding.node, finding.nodeName, finding.members,
           finding.memberChannels, finding.value, finding.aboutWeights, finding.channels,
           finding.statistic, finding.threshold);
  carryEnum(archive, finding.severity, Severity::Critical);
  carryAll(archive, finding.confidence, finding.text, finding.why);
  carryEnum(archive, finding.evidence, Evidence::LayerError);
  carryAll(archive, finding.suggestion, finding.onlyIfItHelps);
}

template <class Archive>
void carry(Archive& archive, PerChannelStatistics& statistics) {
  carryAll(archive, statistics.supported, statistics.used);
}

template <class Archive>
void carry(Archive& archive, DynamicStaticStatistics& statistics) {
  carryAll(archive, statistics.inputS, statistics.outputS, statistics.dynamicRecommended);
}

template <class Archive>
void carry(Archive& archive, EqualizationStatistics& statistics) {
  carryAll(archive, statistics.s, statistics.recommended, statistics.layerRecommended);
}

template <class Archive>
void carry(Archive& archive, OutlierStatistics& statistics) {
  carryAll(archive, statistics.ratio, statistics.outlier, statistics.sufficientBatches,
           statistics.batchesUsed, statistics.constantBatches);
}

template <class Archive>
void carry(Archive& archive, DetectorReport& report) {
  carryEnum(archive, report.mode, DetectorMode::PyTorch);
  carryAll(archive, report.findings, report.unproven, report.outputSqnrDb,
           report.statistics.perChannel, report.statistics.dynamicStatic,
           report.statistics.equalization, report.statistics.outlier);
}

namespace {

bool isOf(const Finding& finding, const Graph& graph) {
  for (const NodeId member : finding.members) {
    if (!member.valid() || member.at() >= graph.nodes().size()) return false;
  }
  for (const auto& [node, channels] : finding.memberChannels) {
    if (!node.valid() || node.at() >= graph.nodes().size()) return false;
  }
  const bool hasValue = finding.value.valid();
  if (hasValue && finding.value.at() >= graph.values().size()) return false;
  if (!finding.node.valid()) return finding.nodeName.empty();
  return finding.node.at() < graph.nodes().size() && graph[finding.node].name == finding.nodeName;
}

}  // namespace

std::string detectorReportToBytes(const DetectorReport& report) {
  return bytesOf(kReportVersion) + bytesOf(report);
}

DetectorReport detectorReportFromBytes(std::string_view bytes, const Graph& graph,
                                       const std::string& source) {
  const BytesOf of{"the kept findings", source, "analyse again"};
  ByteReader reader(bytes, of);
  reader.version({kReportVersion});
  DetectorReport report;
  carry(reader, report);
  reader.requireEnd();
  for (const std::vector<Finding>* findings : {&report.findings, &report.unproven}) {
    for (const Finding& finding : *findings) {
      if (!isOf(finding, graph)) reader.fail("are of another model");
      if (findDetector(finding.detector) == nullptr) reader.fail("are of another version");
    }
  }
  return report;
}

}  // namespace quantscope
