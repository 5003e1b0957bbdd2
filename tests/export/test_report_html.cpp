#include <QRegularExpression>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "export/report/html_text.h"
#include "export/report/report_html.h"
#include "export/report_fixture.h"
#include "export/worst_layers.h"
#include "support/test_main.h"

using namespace quantscope;
using nlohmann::json;
using test::ReportFixture;

namespace {

constexpr std::size_t kMaxBytes = 5'000'000;

std::string htmlPage(const ReportFixture& fixture) {
  const DetectorReport none;
  return reportHtml({.result = fixture.result,
                     .config = fixture.config,
                     .detectors = none,
                     .program = "Quantscope 1",
                     .cost = fixture.cost},
                    *fixture.graph);
}

// The data that the page's scripts read.
json dataOf(const std::string& page) {
  const std::string open = "id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

QString text(const std::string& page) {
  return QString::fromStdString(page);
}

}  // namespace

class ReportHtmlTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isSelfContained();
  void showsTheHeadline();
  void warnsOfSyntheticData();
  void dataHasEveryLayerExactly();
  void drawsTheGraph();
  void listsWhatIsMissing();
  void hostileNamesStayText_data();
  void hostileNamesStayText();
  void costOriginAndSensitivities();
  void survivesEmptyResults();
  void largeModelsFit_data();
  void largeModelsFit();
  void worstLayersComeFirst();
  void escapesText_data();
  void escapesText();
  void shortensInTheMiddle();
};

void ReportHtmlTest::isSelfContained() {
  const QString page = text(htmlPage(test::smallReport()));
  const QRegularExpression outside(
      R"((src|href)\s*=\s*(["'](?!#)|[^"'])|<link|@import|url\(\s*["']?(http|//)|fetch\(|XMLHttpRequest)");
  const auto found = outside.match(page);
  QVERIFY2(!found.hasMatch(), qPrintable(page.mid(found.capturedStart(), 80)));
  QVERIFY(!page.contains("{{"));
  QVERIFY(page.contains("Content-Security-Policy"));
}

void ReportHtmlTest::showsTheHeadline() {
  const QString page = text(htmlPage(test::smallReport()));
  for (const char* words : {"<h1>small.onnx</h1>", "24.5<small> dB", "95.8 %", "91.4 → 90.9 %",
                            "−0.500 points", "911 → 239 kB", "3.81× smaller, 73.8 % saved",
                            "int8 <small>2</small>", "18.8 %", "3<small> of 9"}) {
    QVERIFY2(page.contains(words), words);
  }
}

void ReportHtmlTest::warnsOfSyntheticData() {
  ReportFixture fixture = test::smallReport();
  QVERIFY(!text(htmlPage(fixture)).contains("Synthetic data"));
  fixture.result.synthetic = true;
  QVERIFY(text(htmlPage(fixture)).contains("Synthetic data"));
}

void ReportHtmlTest::dataHasEveryLayerExactly() {
  ReportFixture fixture = test::smallReport();
  fixture.layer("/classifier").local->total.mse = 0.1 + 0.2;
  const json data = dataOf(htmlPage(fixture));
  const json& layers = data["layers"];
  QCOMPARE(data["count"].get<std::size_t>(), fixture.result.layers.size());
  QVERIFY(layers["name"][8] == "/classifier");
  QVERIFY(layers["local"]["mse"][8].get<double>() == 0.1 + 0.2);
  QVERIFY(layers["local"]["sqnr_db"][1].is_null());  // left in float
  QVERIFY(layers["accumulated"]["sqnr_db"][1] == "inf");
  QVERIFY(layers["accumulated"]["sqnr_db"][6].is_null());  // not computed
  QVERIFY(layers["ops"]["texts"][layers["ops"]["of"][0].get<std::size_t>()] == "Conv + BN + ReLU");
  QVERIFY(layers["kind"][7] == "M");
}

void ReportHtmlTest::drawsTheGraph() {
  const json picture = dataOf(htmlPage(test::smallReport()))["graph"];
  QVERIFY(picture["kinds"] == "LLLLLLLMLIIO");
  QVERIFY(picture["labels"] == json({"image", "condition", "scores"}));
  QCOMPARE(picture["boxes"].size(), std::size_t{4 * 12});
  QCOMPARE(picture["routes"].size() * 2, picture["edges"].size());
}

void ReportHtmlTest::listsWhatIsMissing() {
  const QString page = text(htmlPage(test::smallReport()));
  QVERIFY(page.contains("<td>Strange</td><td>com.example</td>"));
  QVERIFY(page.contains("<td>the operator is unknown</td>"));
}

void ReportHtmlTest::hostileNamesStayText_data() {
  QTest::addColumn<QByteArray>("name");
  QTest::newRow("ends the script") << QByteArray("</script><script>alert(1)</script>");
  QTest::newRow("begins a comment") << QByteArray("<!--<script>");
  QTest::newRow("ends an attribute") << QByteArray("\"'><img src=x onerror=alert(1)>");
  QTest::newRow("a part of the page") << QByteArray("{{scripts}}{{nothing}}");
  QTest::newRow("line ends") << QByteArray(
      "a\nb\xE2\x80\xA8"
      "c");
  QTest::newRow("not UTF-8") << QByteArray("a\xFF\xC0\xAF<b>");
  QTest::newRow("entity") << QByteArray("&lt;script&gt;");
}

void ReportHtmlTest::hostileNamesStayText() {
  QFETCH(QByteArray, name);
  ReportFixture fixture = test::smallReport();
  const std::string hostile = name.toStdString();
  AnalysisResult& result = fixture.result;
  result.model = result.data = result.calibrationData = result.scheme = result.backend = hostile;
  fixture.config.precision.edit(
      [&](PrecisionConfig& config) { config.nodes.front().first = hostile; });
  result.notComputed[0] = {hostile, hostile, hostile, 1, hostile};
  result.outputs.push_back(result.outputs[0]);
  for (OutputResult& output : result.outputs) output.value = hostile;
  for (LayerResult& layer : result.layers) {
    layer.name = layer.scope = layer.outputValue = layer.op = layer.fusedOps = hostile;
  }
  const std::string page = htmlPage(fixture);
  const QString tags = text(page);
  QCOMPARE(tags.count("<script"), 2);
  QCOMPARE(tags.count("</script"), 2);
  QVERIFY(!tags.contains("<img") && !tags.contains("<!--") && !tags.contains("<b>"));
  const json data = dataOf(page);
  if (!name.contains('\xFF')) QVERIFY(data["layers"]["name"][0] == hostile);
}

void ReportHtmlTest::costOriginAndSensitivities() {
  ReportFixture fixture = test::smallReport();
  fixture.result.summary.floatBytes = 4000;
  fixture.result.summary.quantizedBytes = 1000;
  std::string page = htmlPage(fixture);
  for (const char* part : {"id=\"cost\"", "<td>4.00 kB</td>", "<td>1.00 kB</td>", "id=\"origin\"",
                           "<td>Quantscope 1</td>", "Weights have 8.50 bits in the mean.",
                           "A sample takes 4.55 million multiply-accumulates; 18.8 % of them"}) {
    QVERIFY2(page.find(part) != std::string::npos, part);
  }
  // Measured on request alone.
  QVERIFY(page.find("id=\"sensitivities\"") == std::string::npos);
  const auto measured = std::ranges::find_if(
      fixture.result.layers, [](const LayerResult& layer) { return layer.local.has_value(); });
  QVERIFY(measured != fixture.result.layers.end());
  measured->contribution = measured->local;
  page = htmlPage(fixture);
  const std::size_t section = page.find("id=\"sensitivities\"");
  QVERIFY(section != std::string::npos);
  QVERIFY(page.find(escapeHtml(measured->name), section) != std::string::npos);
}

void ReportHtmlTest::survivesEmptyResults() {
  Graph graph;
  graph.finish();
  const AnalysisResult result;
  const Configuration config;
  const DetectorReport none;
  const std::string page = reportHtml(
      {.result = result, .config = config, .detectors = none, .program = "Quantscope 1"}, graph);
  QCOMPARE(dataOf(page)["count"].get<int>(), 0);
  QVERIFY(text(page).contains("No layer has an error that could be computed"));
}

void ReportHtmlTest::largeModelsFit_data() {
  QTest::addColumn<int>("layers");
  QTest::addColumn<int>("nameLength");
  QTest::newRow("7,144 layers") << 7144 << 0;
  QTest::newRow("7,144 layers with long names") << 7144 << 300;
  QTest::newRow("12,000 layers: the worst of them") << 12'000 << 0;
  QTest::newRow("few layers with endless names") << 60 << 200'000;
}

void ReportHtmlTest::largeModelsFit() {
  QFETCH(int, layers);
  QFETCH(int, nameLength);
  ReportFixture fixture = test::deepReport(static_cast<std::size_t>(layers));
  for (LayerResult& layer : fixture.result.layers) {
    layer.name += std::string(static_cast<std::size_t>(nameLength), 'x');
    layer.local->channelSqnrDb.assign(64, 33.3);
    layer.accumulated->sampleSqnrDb.assign(200, 31.7F);
  }
  LayerResult& worst = fixture.result.layers[fixture.result.layers.size() / 2];
  worst.local->total.sqnrDb = -3;
  const std::string page = htmlPage(fixture);
  QVERIFY2(page.size() <= kMaxBytes, qPrintable(QString::number(page.size())));
  const json sqnr = dataOf(page)["layers"]["local"]["sqnr_db"];
  QCOMPARE(std::min<int>(layers, 10'000), static_cast<int>(sqnr.size()));
  QVERIFY(std::ranges::find(sqnr, json(-3.0)) != sqnr.end());
}

void ReportHtmlTest::worstLayersComeFirst() {
  const ReportFixture fixture = test::smallReport();
  const auto worst = worstLayers(fixture.result, &LayerResult::accumulated, 12);
  // Equal outputs and data movers are left out: Add, classifier, conv1, keep.
  QVERIFY((worst == std::vector<std::size_t>{2, 8, 0, 4}));
}

void ReportHtmlTest::escapesText_data() {
  QTest::addColumn<QByteArray>("plain");
  QTest::addColumn<QByteArray>("escaped");
  QTest::newRow("nothing to do") << QByteArray("/a/b.c-0") << QByteArray("/a/b.c-0");
  QTest::newRow("markup") << QByteArray("<a href=\"x\">'&'")
                          << QByteArray("&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;");
  QTest::newRow("UTF-8") << QByteArray("層 ∞ 😀") << QByteArray("層 ∞ 😀");
  QTest::newRow("cut sequence") << QByteArray("a\xE5\xB1")
                                << QByteArray("a\xEF\xBF\xBD\xEF\xBF\xBD");
  QTest::newRow("overlong slash") << QByteArray("\xC0\xAF")
                                  << QByteArray("\xEF\xBF\xBD\xEF\xBF\xBD");
  QTest::newRow("surrogate") << QByteArray("\xED\xA0\x80")
                             << QByteArray("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  QTest::newRow("control") << QByteArray("a\x01\tb") << QByteArray("a\xEF\xBF\xBD\tb");
}

void ReportHtmlTest::escapesText() {
  QFETCH(QByteArray, plain);
  QFETCH(QByteArray, escaped);
  QCOMPARE(QByteArray::fromStdString(escapeHtml(plain.toStdString())), escaped);
}

void ReportHtmlTest::shortensInTheMiddle() {
  QCOMPARE(text(shortened("abcdefghij", 10)), QString("abcdefghij"));
  QCOMPARE(text(shortened("abcdefghijk", 10)), QString("abc…hijk"));
  QCOMPARE(text(shortened("äöüäöüäöü", 10)), QString("ä…öü"));  // no character is cut
}

QUANTSCOPE_TEST(ReportHtmlTest)
#include "test_report_html.moc"
