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

std::string elements(const std::vector<double>& values) {
  std::ostringstream text;
  text << '{';
  for (std::size_t i = 0; i < values.size(); ++i) text << (i == 0 ? "" : ", ") << values[i];
  text << '}';
  return text.str();
}

double FaultScore::precision() const {
  return hits == 0 ? 0 : static_cast<double>(hits) / (hits + alarms);
}

FaultScore scoreFaults(const std::string& detector, MakeCase make) {
  Random random(kSeed);
  FaultScore score;
  for (int i = 0; i < 2 * kFaultCases; ++i) {
    const bool faulty = i < kFaultCases;
    const Injected injected = make(random, faulty);
    const DetectorCase testCase(injected.text.c_str(), injected.samples, injected.config,
                                DetectorMode::Quantscope, 1, 2, injected.calibration);
    const std::vector<Finding> findings = testCase.findings(detector);
    const bool hit = faulty && found(findings, injected);
    const bool alarm = !faulty && !findings.empty();
    score.hits += hit;
    score.alarms += alarm;
    if (faulty != hit || alarm) score.mistaken.push_back(i);
  }
  return score;
}

bool findsFaults(const std::string& detector, MakeCase make) {
  const FaultScore score = scoreFaults(detector, make);
  QStringList mistaken;
  for (const int i : score.mistaken) mistaken << QString::number(i);
  qInfo("%s: precision %.2f, recall %.2f%s%s", detector.c_str(), score.precision(), score.recall(),
        mistaken.empty() ? "" : ", mistaken: ", qPrintable(mistaken.join(' ')));
  return score.precision() >= 0.9 && score.recall() >= 0.9;
}

std::string textOf(const std::vector<Finding>& findings) {
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

bool sameForAnyThreads(MakeCase make, int cases, std::size_t& saw) {
  Random random(kSeed);
  for (int i = 0; i < cases; ++i) {
    const Injected injected = make(random, true);
    const auto run = [&](int threads) {
      return DetectorCase(injected.text.c_str(), injected.samples, injected.config,
                          DetectorMode::Quantscope, 1, threads, injected.calibration);
    };
    const DetectorCase alone = run(1);
    const std::vector<Finding> findings = alone.report().findings;
    saw += findings.size();
    const std::string expected = textOf(findings);
    if (textOf(alone.report().findings) != expected) return false;
    if (textOf(run(3).report().findings) != expected) return false;
  }
  return true;
}

}  // namespace quantscope::test
