#include <QRegularExpression>
#include <QtTest>

#include "export/pictures/heatmap_picture.h"
#include "export/report/report_pdf.h"
#include "export/report_fixture.h"
#include "support/test_main.h"

using namespace quantscope;
using test::ReportFixture;

namespace {

QByteArray fileOf(const ReportFixture& fixture, std::size_t findings = 0) {
  DetectorReport detectors;
  Finding finding;
  finding.text = "Something is wrong here.";
  detectors.findings.assign(findings, finding);
  return QByteArray::fromStdString(
      reportPdf({fixture.result, fixture.config, detectors, "quantscope 0", 1}));
}

// Sizes of the pages, "595x842".
QStringList pagesOf(const QByteArray& file) {
  static const QRegularExpression page(R"(/Type /Page\b[^>]*?/MediaBox \[ 0 0 (\d+) (\d+))",
                                       QRegularExpression::DotMatchesEverythingOption);
  QStringList pages;
  auto found = page.globalMatch(QString::fromLatin1(file));
  while (found.hasNext()) {
    const QRegularExpressionMatch match = found.next();
    pages << match.captured(1) + "x" + match.captured(2);
  }
  return pages;
}

}  // namespace

/// The summary as PDF: whole pages, and the heatmap last.
class ReportPdfTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void summaryThenHeatmap();
  void longReportsTakeMorePages();
  void equalSourcesGiveEqualBytes();
  void survivesStrangeNames();
};

void ReportPdfTest::summaryThenHeatmap() {
  const ReportFixture fixture = test::smallReport();
  const QByteArray file = fileOf(fixture);
  QVERIFY(file.startsWith("%PDF-") && file.trimmed().endsWith("%%EOF"));
  const QStringList pages = pagesOf(file);
  QVERIFY2(pages.size() >= 2, qPrintable(pages.join(' ')));
  QCOMPARE(pages.first(), QString("595x842"));
  const PicturePage heatmap = drawHeatmap(fixture.result);
  QCOMPARE(pages.last(), QString("%1x%2").arg(heatmap.width).arg(heatmap.height));
}

void ReportPdfTest::longReportsTakeMorePages() {
  const ReportFixture fixture = test::smallReport();
  QVERIFY(pagesOf(fileOf(fixture, 90)).size() > pagesOf(fileOf(fixture)).size() + 2);
}

void ReportPdfTest::equalSourcesGiveEqualBytes() {
  const ReportFixture fixture = test::smallReport();
  const QByteArray file = fileOf(fixture);
  QVERIFY(!file.contains("CreationDate"));
  QCOMPARE(fileOf(fixture), file);
}

void ReportPdfTest::survivesStrangeNames() {
  ReportFixture fixture = test::smallReport();
  for (const std::string& name :
       {std::string(5000, 'W'), std::string("a\xFF\n)>>endobj"), std::string()}) {
    fixture.result.model = fixture.result.backend = fixture.result.scheme = name;
    for (LayerResult& layer : fixture.result.layers) layer.name = layer.fusedOps = name;
    const QByteArray file = fileOf(fixture);
    QVERIFY(pagesOf(file).size() >= 2);
    QVERIFY(!file.contains(")>>endobj"));
  }
}

QUANTSCOPE_TEST(ReportPdfTest)
#include "test_report_pdf.moc"
