#include <QtTest>
#include <algorithm>
#include <functional>

#include "detectors/findings/finding_order.h"
#include "detectors/findings/gain_severity.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

Finding findingWith(const char* detector, Severity severity, std::optional<double> gainDb) {
  Finding finding;
  finding.detector = detector;
  finding.severity = severity;
  finding.suggestion = Suggestion{"Do it.", {}, gainDb};
  return finding;
}

}  // namespace

class GainSeverityTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void followsTheGain_data();
  void followsTheGain();
  void atASpoiltOutputLittleGainTellsNothing();
  void timeForMuchPrecisionIsForInformation();
  void whatIsNotKnownStays();
  void whatGainsMostComesFirst();
  void theOrderIsThatOfGains();
};

void GainSeverityTest::followsTheGain_data() {
  QTest::addColumn<double>("outputDb");
  QTest::addColumn<double>("gainDb");
  QTest::addColumn<int>("severity");
  const auto row = [](const char* what, double outputDb, double gainDb, Severity severity) {
    QTest::newRow(what) << outputDb << gainDb << static_cast<int>(severity);
  };
  row("much at a bad output", 12, 3, Severity::Critical);
  row("much at a good output", 20, 9, Severity::Warning);
  row("some", 12, 0.5, Severity::Warning);
  row("next to nothing", 12, 0.4, Severity::Info);
  row("nothing", 12, 0, Severity::Info);
  row("a loss", 12, -4, Severity::Info);
  row("nothing is exact", -HUGE_VAL, HUGE_VAL, Severity::Critical);
}

void GainSeverityTest::followsTheGain() {
  QFETCH(double, outputDb);
  QFETCH(double, gainDb);
  QFETCH(int, severity);
  for (const Severity before : {Severity::Info, Severity::Warning, Severity::Critical}) {
    std::vector<Finding> findings{findingWith("outlier", before, gainDb)};
    followGains(outputDb, findings);
    QCOMPARE(static_cast<int>(findings[0].severity), severity);
  }
}

// One change of many that are needed moves noise only.
void GainSeverityTest::atASpoiltOutputLittleGainTellsNothing() {
  for (const double gainDb : {-0.5, 0.0, 0.4}) {
    for (const double outputDb : {-HUGE_VAL, -0.1, 2.9}) {
      std::vector<Finding> findings{findingWith("per_channel", Severity::Warning, gainDb)};
      followGains(outputDb, findings);
      QVERIFY(findings[0].severity == Severity::Warning);
    }
    std::vector<Finding> findings{findingWith("per_channel", Severity::Warning, gainDb)};
    followGains(kLeastTellingDb, findings);
    QVERIFY(findings[0].severity == Severity::Info);
  }
  std::vector<Finding> findings{findingWith("per_channel", Severity::Info, 3)};
  followGains(-0.1, findings);
  QVERIFY(findings[0].severity == Severity::Critical);
}

void GainSeverityTest::timeForMuchPrecisionIsForInformation() {
  const auto severityAt = [](double gainDb) {
    std::vector<Finding> findings{findingWith("conversion_island", Severity::Warning, gainDb)};
    followGains(30, findings);
    return findings[0].severity;
  };
  QVERIFY(severityAt(-14) == Severity::Info);
  QVERIFY(severityAt(-0.2) == Severity::Warning);
}

void GainSeverityTest::whatIsNotKnownStays() {
  std::vector<Finding> findings{findingWith("outlier", Severity::Critical, std::nullopt),
                                findingWith("non_finite", Severity::Critical, 0.0),
                                findingWith("outlier", Severity::Warning, std::nullopt)};
  findings[2].suggestion.reset();
  followGains(10, findings);
  QVERIFY(findings[0].severity == Severity::Critical);
  QVERIFY(findings[1].severity == Severity::Critical);
  QVERIFY(findings[2].severity == Severity::Warning);
}

void GainSeverityTest::whatGainsMostComesFirst() {
  std::vector<Finding> findings{findingWith("outlier", Severity::Info, 9),
                                findingWith("saturation", Severity::Warning, std::nullopt),
                                findingWith("one_sided", Severity::Warning, -1),
                                findingWith("outlier", Severity::Warning, 2),
                                findingWith("unused_range", Severity::Warning, 5)};
  sortFindings(QuantizedModel(), findings);
  QStringList order;
  for (const Finding& finding : findings) order << QString::fromStdString(finding.detector);
  QCOMPARE(order, QStringList({"unused_range", "outlier", "saturation", "one_sided", "outlier"}));
}

// Whatever their detectors say of them.
void GainSeverityTest::theOrderIsThatOfGains() {
  std::vector<Finding> findings{findingWith("steep_function", Severity::Critical, 0.65),
                                findingWith("dominant_part", Severity::Critical, 0.0),
                                findingWith("shared_grid", Severity::Critical, -0.036),
                                findingWith("outlier", Severity::Info, 0.02),
                                findingWith("outlier", Severity::Warning, 0.4)};
  followGains(6.4, findings);
  sortFindings(QuantizedModel(), findings);
  QVERIFY(std::ranges::is_sorted(findings, std::greater(), [](const Finding& finding) {
    return *finding.suggestion->gainDb;
  }));
  QVERIFY(findings[0].severity == Severity::Warning);
  for (std::size_t i = 1; i < findings.size(); ++i) {
    QVERIFY(findings[i].severity == Severity::Info);
  }
}

QUANTSCOPE_TEST(GainSeverityTest)
#include "test_gain_severity.moc"
