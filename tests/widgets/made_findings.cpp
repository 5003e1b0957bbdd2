#include "widgets/made_findings.h"

#include "support/sample_snapshot.h"

namespace quantscope::test {

SnapshotPtr snapshotWith(const std::vector<MadeFinding>& findings) {
  auto snapshot = std::make_shared<AnalysisSnapshot>(*sampleSnapshot());
  auto report = std::make_shared<DetectorReport>();
  for (const MadeFinding& made : findings) {
    const LayerResult& layer = snapshot->result->layers[made.layer];
    Finding finding;
    finding.id = made.id;
    finding.detector = made.detector;
    finding.node = layer.node;
    finding.nodeName = layer.name;
    finding.channels = made.channels;
    finding.statistic = made.statistic;
    finding.threshold = 3.5;
    finding.severity = made.severity;
    finding.text = made.text.empty() ? "Sentence of " + made.id + "." : made.text;
    finding.why = "Reason of " + made.id + ".";
    finding.evidence = Evidence::Histogram;
    if (made.applicable || made.gainDb) {
      Suggestion suggestion;
      suggestion.text = "Leave it in float.";
      ConfigChange change;
      change.node = layer.name;
      change.float32 = true;
      suggestion.changes.push_back(change);
      suggestion.gainDb = made.gainDb;
      suggestion.gainEstimated = made.gainEstimated;
      finding.suggestion = suggestion;
    }
    report->findings.push_back(std::move(finding));
  }
  snapshot->detected = std::move(report);
  return snapshot;
}

std::vector<MadeFinding> fourFindings() {
  MadeFinding a1{.id = "a1", .layer = 2, .text = {}};
  a1.severity = Severity::Critical;
  a1.applicable = true;
  a1.channels = {3, 4};
  a1.statistic = 7;
  MadeFinding b1{.id = "b1", .layer = 2, .text = {}};
  b1.detector = "saturation";
  b1.gainDb = 3.21;
  b1.statistic = 9;
  MadeFinding b2{.id = "b2", .layer = 5, .text = {}};
  b2.gainDb = 0.5;
  b2.statistic = 8;
  MadeFinding c1{.id = "c1", .layer = 0, .text = {}};
  c1.severity = Severity::Info;
  c1.detector = "one_sided";
  return {a1, b1, b2, c1};
}

}  // namespace quantscope::test
