#pragma once

#include <string>
#include <vector>

#include "jobs/analysis_snapshot.h"

namespace quantscope::test {

/// A finding to be made up about a layer of digits_mobilenet, by its place in execution order. With
/// a gain, or where it is `applicable`, its suggestion leaves that layer in float.
struct MadeFinding {
  std::string id;
  std::size_t layer = 0;
  std::string detector = "outlier";
  Severity severity = Severity::Warning;
  std::string text;
  bool applicable = false;
  std::optional<double> gainDb = {};
  std::vector<std::int64_t> channels = {};
  double statistic = 0;
  bool gainEstimated = false;
};

/// sampleSnapshot() with these findings in place of its own.
SnapshotPtr snapshotWith(const std::vector<MadeFinding>& findings);

/// The findings that most tests are about: a1 (critical, layer 2), b1 and b2 (warnings, layers 2
/// and 5), c1 (a note, layer 0). All but c1 can be applied.
std::vector<MadeFinding> fourFindings();

}  // namespace quantscope::test
