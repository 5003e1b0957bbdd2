#include <QRegularExpression>
#include <QtTest>

#include "export/report/report_html.h"
#include "export/report_fixture.h"
#include "support/test_main.h"

using namespace quantscope;
using test::ReportFixture;

namespace {

Finding findingOf(const ReportFixture& fixture, const std::string& layer, Severity severity,
                  const std::string& detector) {
  Finding finding;
  finding.id = detector + "/" + layer;
  finding.detector = detector;
  finding.node = fixture.graph->findNode(layer);
  finding.nodeName = layer;
  finding.statistic = 5.25;
  finding.threshold = 3.5;
  finding.severity = severity;
  finding.confidence = 0.75;
  finding.text = "Something is wrong with " + layer + ".";
  finding.why = "The range has to reach far.";
  return finding;
}

QString pageWith(const ReportFixture& fixture, std::vector<Finding> findings) {
  DetectorReport report;
  report.findings = std::move(findings);
  return QString::fromStdString(reportHtml({.result = fixture.result,
                                            .config = fixture.config,
                                            .detectors = report,
                                            .program = "Quantscope 1"},
                                           *fixture.graph));
}

QString findingsSection(const QString& page) {
  const qsizetype begin = page.indexOf("<section id=\"findings\">");
  return page.mid(begin, page.indexOf("</section>", begin) - begin);
}

// The visible text: without tags.
QString readable(QString html) {
  html.replace(QRegularExpression("<[^>]*>"), " ");
  return html.simplified();
}

}  // namespace

/// The findings in report.html.
class ReportFindingsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothingFound();
  void groupedBySeverity();
  void aFindingInFull();
  void gains_data();
  void gains();
  void countsByDetector();
  void leadsToTheLayer();
  void manyFindingsStaySmall();
  void notesAreFoldedAway();
  void hostileTextStaysText();
};

void ReportFindingsTest::nothingFound() {
  const QString section = findingsSection(pageWith(test::smallReport(), {}));
  QVERIFY(readable(section).contains("No findings"));
  QVERIFY(!section.contains("<details"));
}

void ReportFindingsTest::groupedBySeverity() {
  const ReportFixture fixture = test::smallReport();
  const QString page =
      pageWith(fixture, {findingOf(fixture, "/classifier", Severity::Critical, "outlier"),
                         findingOf(fixture, "/features/Add", Severity::Warning, "saturation"),
                         findingOf(fixture, "/features/conv1/Conv", Severity::Warning, "outlier")});
  const QString words = readable(findingsSection(page));
  QVERIFY2(words.contains("3 findings: 1 critical, 2 warnings"), qPrintable(words));
  const QRegularExpression order(
      "Critical 1 .*with /classifier\\. .*Warnings 2 .*with /features/Add\\. .*with "
      "/features/conv1/Conv\\.");
  QVERIFY2(order.match(words).hasMatch(), qPrintable(words));
  QVERIFY(!words.contains("Notes"));
  // The banner's looks are not theirs.
  QVERIFY(!findingsSection(page).contains(QRegularExpression("class=\"([^\"]* )?warning[ \"]")));
  QVERIFY(page.contains("<a href=\"#findings\">"));
}

void ReportFindingsTest::aFindingInFull() {
  const ReportFixture fixture = test::smallReport();
  Finding finding = findingOf(fixture, "/classifier", Severity::Warning, "outlier");
  finding.suggestion = Suggestion{"Clip the few large values.", {}, 1.25};
  const QString words = readable(findingsSection(pageWith(fixture, {finding})));
  for (const char* part : {"Something is wrong with /classifier.", "The range has to reach far.",
                           "5.25", "threshold 3.50", "confidence 75.0 %",
                           "Clip the few large values.", "+1.2 dB at the output when simulated"}) {
    QVERIFY2(words.contains(part), qPrintable(QString(part) + " in " + words));
  }
}

void ReportFindingsTest::gains_data() {
  QTest::addColumn<double>("gain");
  QTest::addColumn<bool>("estimated");
  QTest::addColumn<QString>("expected");
  QTest::newRow("better") << 2.0 << false << "class=\"gain up\">+2.0 dB";
  QTest::newRow("worse") << -0.5 << false << "class=\"gain none\">−0.5 dB";
  QTest::newRow("exact") << std::numeric_limits<double>::infinity() << false
                         << "class=\"gain up\">makes the output exact";
  QTest::newRow("estimated") << 0.08 << true
                             << "class=\"gain none\">≈ +0.1 dB at the output, estimated";
}

void ReportFindingsTest::gains() {
  QFETCH(double, gain);
  QFETCH(bool, estimated);
  QFETCH(QString, expected);
  const ReportFixture fixture = test::smallReport();
  Finding finding = findingOf(fixture, "/classifier", Severity::Warning, "outlier");
  finding.suggestion = Suggestion{"Do it.", {}, gain, estimated};
  QVERIFY(findingsSection(pageWith(fixture, {finding})).contains(expected));
  finding.suggestion->gainDb.reset();
  QVERIFY(!findingsSection(pageWith(fixture, {finding})).contains("class=\"gain"));
}

void ReportFindingsTest::countsByDetector() {
  const ReportFixture fixture = test::smallReport();
  const QString section = findingsSection(
      pageWith(fixture, {findingOf(fixture, "/classifier", Severity::Critical, "saturation"),
                         findingOf(fixture, "/features/Add", Severity::Warning, "outlier"),
                         findingOf(fixture, "/classifier", Severity::Info, "outlier")}));
  QStringList counts;
  for (const Detector& detector : allDetectors()) {
    const QString title =
        QString::fromUtf8(detector.title.data(), static_cast<qsizetype>(detector.title.size()));
    const QRegularExpression chip(QRegularExpression::escape(title.toHtmlEscaped()) +
                                  " <b>(\\d+)</b>");
    const auto found = chip.match(section);
    if (found.hasMatch()) counts << QString::fromUtf8(detector.name.data()) + found.captured(1);
  }
  counts.sort();
  QCOMPARE(counts, (QStringList{"outlier2", "saturation1"}));
}

void ReportFindingsTest::leadsToTheLayer() {
  const ReportFixture fixture = test::smallReport();
  const Finding known = findingOf(fixture, "/classifier", Severity::Warning, "outlier");
  Finding elsewhere = known;
  elsewhere.node = fixture.graph->findNode("/features/conv1/Relu");  // leads no row
  elsewhere.nodeName = "elsewhere";
  Finding whole = known;
  whole.node = {};
  whole.nodeName.clear();
  const QString section = findingsSection(pageWith(fixture, {known, elsewhere, whole}));
  QCOMPARE(section.count("data-select="), 1);
  QVERIFY(section.contains("data-select=\"8\">/classifier</button>"));
  QVERIFY(readable(section).contains("elsewhere ·"));
  QVERIFY(readable(section).contains("the whole network ·"));
}

void ReportFindingsTest::manyFindingsStaySmall() {
  const ReportFixture fixture = test::smallReport();
  Finding finding = findingOf(fixture, "/classifier", Severity::Warning, "outlier");
  finding.text = finding.why = finding.nodeName = std::string(50'000, 'x');
  finding.suggestion = Suggestion{std::string(50'000, 'y'), {}, {}};
  const QString none = pageWith(fixture, {});
  const QString page = pageWith(fixture, std::vector<Finding>(3000, finding));
  QVERIFY2(page.size() - none.size() < 600'000, qPrintable(QString::number(page.size())));
  QVERIFY(readable(findingsSection(page)).contains("3000 warnings"));
  QVERIFY(readable(findingsSection(page)).contains("more in report.json"));
}

void ReportFindingsTest::notesAreFoldedAway() {
  const ReportFixture fixture = test::smallReport();
  const auto isOpen = [&](Severity severity, std::size_t count) {
    const Finding finding = findingOf(fixture, "/classifier", severity, "outlier");
    return findingsSection(pageWith(fixture, std::vector<Finding>(count, finding)))
        .contains(" open>");
  };
  QVERIFY(isOpen(Severity::Warning, 40));
  QVERIFY(isOpen(Severity::Info, 3));
  QVERIFY(!isOpen(Severity::Info, 40));
}

void ReportFindingsTest::hostileTextStaysText() {
  const ReportFixture fixture = test::smallReport();
  const std::string hostile = "</script><script>alert(1)</script><img src=x>{{scripts}}";
  Finding finding = findingOf(fixture, "/classifier", Severity::Critical, hostile);
  finding.text = finding.why = hostile;
  finding.node = {};
  finding.nodeName = hostile;
  finding.suggestion = Suggestion{hostile, {}, {}};
  const QString page = pageWith(fixture, {finding});
  QCOMPARE(page.count("<script"), 2);
  QVERIFY(!page.contains("<img"));
}

QUANTSCOPE_TEST(ReportFindingsTest)
#include "test_report_findings.moc"
