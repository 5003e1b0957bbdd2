#include "detectors/fault_suite.h"

#include <QtTest>
#include <algorithm>
#include <sstream>

#include "detectors/detector_case.h"

namespace quantscope::test {
namespace {

// The same networks in every run, on every machine with this standard library.
constexpr unsigned kSeed = 5;

bool found(const std::vector<Finding>& findings, const Injected& fault) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.nodeName == fault.node &&
           (fault.channels.empty() || finding.channels == fault.channels);
  });
}

/// How often a detector finds a fault that was put in, and how often it cries without one.
struct FaultScore {
  int hits = 0;          ///< faults that were found, of kFaultCases
  int alarms = 0;        ///< healthy networks with a finding, of as many
  QStringList mistaken;  ///< the cases that went wrong; healthy ones from kFaultCases on

  double recall() const { return static_cast<double>(hits) / kFaultCases; }
  /// 0 where nothing was found.
  double precision() const { return hits == 0 ? 0 : static_cast<double>(hits) / (hits + alarms); }
};

// Everything that a finding says, for comparisons.
std::string findingsText(const std::vector<Finding>& findings) {
  std::ostringstream text;
  text.precision(17);
  for (const Finding& finding : findings) {
    text << finding.id << ' ' << finding.statistic << ' ' << finding.threshold << ' '
         << name(finding.severity) << ' ' << finding.confidence << ' ' << finding.text;
    for (const std::int64_t channel : finding.channels) text << ' ' << channel;
    if (finding.suggestion) {
      text << ' ' << finding.suggestion->text;
      for (const ConfigChange& change : finding.suggestion->changes) text << ' ' << change.node;
    }
    text << '\n';
  }
  return text.str();
}

}  // namespace

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

int whole(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

bool coin(Random& random) {
  return whole(random, 0, 1) == 1;
}

double noiseOf(Random& random, int kind) {
  if (kind == 0) return std::normal_distribution<double>()(random);
  if (kind == 1) return uniform(random, -1.7, 1.7);
  const double magnitude = std::exponential_distribution<double>(1.4)(random);
  return coin(random) ? magnitude : -magnitude;
}

std::vector<Tensor> noise(Random& random, const Shape& shape, int samples, double scale) {
  const int kind = whole(random, 0, 2);
  std::vector<Tensor> made;
  for (int s = 0; s < samples; ++s) {
    made.push_back(filled(shape, [&](std::size_t) { return scale * noiseOf(random, kind); }));
  }
  return made;
}

std::string elements(const std::vector<double>& values) {
  std::ostringstream text;
  text << '{';
  for (std::size_t i = 0; i < values.size(); ++i) text << (i == 0 ? "" : ", ") << values[i];
  text << '}';
  return text.str();
}

void FaultSuite::addRows() const {
  QTest::addColumn<FaultSuite::Row>("row");
  for (const Row& row : rows()) QTest::newRow(row.detector) << row;
}

void FaultSuite::detectors() {
  QFETCH(FaultSuite::Row, row);
  Random random(kSeed);
  FaultScore score;
  for (int i = 0; i < 2 * kFaultCases; ++i) {
    const bool faulty = i < kFaultCases;
    const Injected injected = row.make(random, faulty);
    const DetectorCase testCase(injected.text.c_str(), injected.samples, injected.config,
                                DetectorMode::Quantscope, 1, 2, injected.calibration);
    const std::vector<Finding> findings = testCase.findings(row.detector);
    const bool hit = faulty && found(findings, injected);
    const bool alarm = !faulty && !findings.empty();
    score.hits += hit;
    score.alarms += alarm;
    if (faulty != hit || alarm) score.mistaken << QString::number(i);
  }
  qInfo("%s: precision %.2f, recall %.2f%s%s", row.detector, score.precision(), score.recall(),
        score.mistaken.empty() ? "" : ", mistaken: ", qPrintable(score.mistaken.join(' ')));
  QVERIFY(score.precision() >= 0.9);
  QVERIFY(score.recall() >= 0.9);
}

void FaultSuite::sameFindings() {
  QFETCH(FaultSuite::Row, row);
  Random random(kSeed);
  std::size_t compared = 0;
  for (int i = 0; i < 3; ++i) {
    const Injected injected = row.make(random, true);
    const auto run = [&](int threads) {
      return DetectorCase(injected.text.c_str(), injected.samples, injected.config,
                          DetectorMode::Quantscope, 1, threads, injected.calibration);
    };
    const DetectorCase alone = run(1);
    const std::vector<Finding> findings = alone.report().findings;
    compared += findings.size();
    QCOMPARE(findingsText(alone.report().findings), findingsText(findings));
    QCOMPARE(findingsText(run(3).report().findings), findingsText(findings));
  }
  QVERIFY(compared > 0);
}

}  // namespace quantscope::test
