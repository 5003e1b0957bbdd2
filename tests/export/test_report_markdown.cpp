#include <QRegularExpression>
#include <QtTest>

#include "base/number_text.h"
#include "export/report/headline.h"
#include "export/report/markdown_text.h"
#include "export/report/report_markdown.h"
#include "export/report_fixture.h"
#include "support/test_main.h"

using namespace quantscope;
using test::ReportFixture;

namespace {

Finding findingOn(const ReportFixture& fixture, const std::string& node) {
  Finding finding;
  finding.id = "outlier/" + node;
  finding.detector = "outlier";
  finding.node = fixture.graph->findNode("/classifier");
  finding.nodeName = node;
  finding.severity = Severity::Warning;
  finding.statistic = 5.25;
  finding.threshold = 3.5;
  finding.confidence = 0.75;
  finding.text = "Something is wrong with " + node + ".";
  finding.why = "The range has to reach far.";
  finding.suggestion = Suggestion{"Clip the few large values.", {}, 1.25};
  return finding;
}

QString markdownPage(const ReportFixture& fixture, std::vector<Finding> findings = {}) {
  DetectorReport detectors;
  detectors.findings = std::move(findings);
  return QString::fromStdString(reportMarkdown(
      {fixture.result, fixture.config, detectors, "quantscope 0", 2, {}, fixture.cost}));
}

// The lines below a heading, up to the next one.
QString sectionBelow(const QString& page, const QString& title) {
  const QString heading = "\n## " + title + "\n";
  return page.section(heading, 1).section("\n## ", 0, 0);
}

// Cells of a row: what stands between bars that no backslash goes before.
qsizetype barsIn(const QString& line) {
  static const QRegularExpression bar(R"((?<!\\)(?:\\\\)*\|)");
  return line.count(bar);
}

}  // namespace

/// The summary as Markdown: what it says, and that names stay text in it.
class ReportMarkdownTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void hasEverySection();
  void headlineIsThatOfThePage();
  void headlineIsOfTheWorstOutput();
  void worstLayersHaveCauses();
  void aFindingInFull();
  void configurationInWords();
  void warnsOfSyntheticData();
  void escapes_data();
  void escapes();
  void hostileNamesStayText_data();
  void hostileNamesStayText();
  void survivesEmptyResults();
  void largeModelsStaySmall();
};

void ReportMarkdownTest::hasEverySection() {
  const QString page = markdownPage(test::smallReport());
  QVERIFY(page.startsWith("# small.onnx\n\n## Headline\n"));
  QStringList titles;
  for (const QString& line : page.split('\n')) {
    if (line.startsWith("## ")) titles << line.mid(3);
  }
  QCOMPARE(titles.join(", "),
           QString("Headline, Procedure, Outputs, Worst layers, Findings, Configuration, "
                   "Cost, Not computed, How it was made"));
  QVERIFY(page.endsWith("|\n") && !page.endsWith("\n\n"));
}

void ReportMarkdownTest::headlineIsThatOfThePage() {
  const ReportFixture fixture = test::smallReport();
  const QString section = sectionBelow(markdownPage(fixture), "Headline");
  for (const char* row :
       {"| Output SQNR | 24.5 dB | scores |", "| Accuracy | 91.4 → 90.9 % | −0.500 points |",
        "| Size | 911 → 239 kB | 3.81× smaller, 73.8 % saved |",
        "| Weights | 8.50 bits | in the mean over all weights |",
        "| Multiply-accumulates | 4.55 million | for one sample, 18.8 % above 8 bits |",
        "| Quantized layers | 3 of 9 |"}) {
    QVERIFY2(section.contains(row), qPrintable(QString(row) + " in " + section));
  }
  for (const HeadlineFigure& figure : headlineFigures(fixture.result, fixture.cost)) {
    QVERIFY(section.contains(QString::fromStdString(figure.text())));
  }
}

// Gains are of that output, so the headline is, too.
void ReportMarkdownTest::headlineIsOfTheWorstOutput() {
  ReportFixture fixture = test::smallReport();
  OutputResult state;
  state.value = "state";
  state.error.sqnrDb = 0.75;
  fixture.result.outputs.push_back(state);
  const QString section = sectionBelow(markdownPage(fixture), "Headline");
  for (const char* row :
       {"| Worst output SQNR | 0.750 dB | state |", "| Accuracy | 91.4 → 90.9 % |"}) {
    QVERIFY2(section.contains(row), qPrintable(QString(row) + " in " + section));
  }
}

void ReportMarkdownTest::worstLayersHaveCauses() {
  ReportFixture fixture = test::smallReport();
  fixture.layer("/features/Add").budget = ErrorBudget{.input = 0.1, .output = 0.9};
  const QStringList rows =
      sectionBelow(markdownPage(fixture), "Worst layers").split('\n').filter("| /");
  QCOMPARE(rows.size(), 3);  // one has no signal, the others are float or were not computed
  QVERIFY2(rows[0].startsWith("| /features/Add | Add | activations uint8 per-tensor asymmetric | "
                              "22.5 dB | 19.8 dB | rounding of its output; 0.02 % clipped"),
           qPrintable(rows[0]));
  QVERIFY2(rows[1].startsWith("| /classifier | Gemm | weights int8"), qPrintable(rows[1]));
  QVERIFY2(rows[2].contains("| Conv + BN + ReLU |"), qPrintable(rows[2]));
}

void ReportMarkdownTest::aFindingInFull() {
  const ReportFixture fixture = test::smallReport();
  const QString section =
      sectionBelow(markdownPage(fixture, {findingOn(fixture, "fc")}), "Findings");
  QVERIFY2(section.contains("1 finding: 1 warning.\n"), qPrintable(section));
  QVERIFY2(section.contains("- warning: Something is wrong with fc.\n"
                            "  - Why: The range has to reach far.\n"
                            "  - Outliers: 5.25, threshold 3.50, confidence 75.0 %\n"
                            "  - Do: Clip the few large values. (+1.2 dB at the output when "
                            "simulated)\n"),
           qPrintable(section));
}

void ReportMarkdownTest::configurationInWords() {
  ReportFixture fixture = test::smallReport();
  const QString section = sectionBelow(markdownPage(fixture), "Configuration");
  QVERIFY2(section.contains("By default weights int8 symmetric per-channel, activations uint8"),
           qPrintable(section));
  QVERIFY2(section.contains("/features/Mul") && section.contains("→ fp32"), qPrintable(section));
  fixture.config = {};
  QVERIFY(sectionBelow(markdownPage(fixture), "Configuration").contains("Nothing differs from"));
}

void ReportMarkdownTest::warnsOfSyntheticData() {
  ReportFixture fixture = test::smallReport();
  QVERIFY(!markdownPage(fixture).contains("SYNTHETIC"));
  fixture.result.synthetic = true;
  QVERIFY(markdownPage(fixture).contains("SYNTHETIC DATA"));
}

void ReportMarkdownTest::escapes_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("expected");
  const auto row = [](const char* name, const QByteArray& text, const QByteArray& expected) {
    QTest::newRow(name) << text << expected;
  };
  row("nothing to do", "/a/b.c-0 (1.5 dB): −3 → ∞", "/a/b.c-0 (1.5 dB): −3 → ∞");
  row("table", "a|b", R"(a\|b)");
  row("escaped bar", R"(a\|b)", R"(a\\\|b)");
  row("emphasis", "__init__ *x* ~y~", R"(\_\_init\_\_ \*x\* \~y\~)");
  row("code", "`rm -rf`", R"(\`rm -rf\`)");
  row("link", "[x](javascript:alert(1))", R"(\[x\](javascript:alert(1)))");
  row("picture", "![x](http://a)", R"(\!\[x\](http\://a))");
  row("address", "www.a.com", R"(www\.a.com)");
  row("HTML", "<img src=x onerror=alert(1)>&lt;", "&lt;img src=x onerror=alert(1)&gt;&amp;lt;");
  row("heading", "# x", R"(\# x)");
  row("lists", "- x", R"(\- x)");
  row("numbered list", "12. x", R"(12\. x)");
  row("other numbered list", "1) x", R"(1\) x)");
  row("number at the end", "12.", R"(12\.)");
  row("no list", "1.5 dB", "1.5 dB");
  row("underline", "===", R"(\===)");
  row("edges", "  x ", "&#32; x&#32;");
  row("line ends", "a\n# b\r", "a\xEF\xBF\xBD\\# b\xEF\xBF\xBD");
  row("not UTF-8", "a\xFF", "a\xEF\xBF\xBD");
}

void ReportMarkdownTest::escapes() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, expected);
  QCOMPARE(QByteArray::fromStdString(escapeMarkdown(text.toStdString())), expected);
}

void ReportMarkdownTest::hostileNamesStayText_data() {
  QTest::addColumn<QByteArray>("name");
  QTest::newRow("HTML") << QByteArray("</td><script>alert(1)</script><!--");
  QTest::newRow("table") << QByteArray("a | b \\| c \\");
  QTest::newRow("lines") << QByteArray("a\n\n# b\n| c |\n```\n");
  QTest::newRow("link") << QByteArray("[a](javascript:alert(1)) ![b](http://c)");
  QTest::newRow("not UTF-8") << QByteArray("a\xFF\xC0\xAF<b>");
}

void ReportMarkdownTest::hostileNamesStayText() {
  QFETCH(QByteArray, name);
  const std::string hostile = name.toStdString();
  ReportFixture fixture = test::smallReport();
  const QString plain = markdownPage(fixture, {findingOn(fixture, "plain")});
  AnalysisResult& result = fixture.result;
  result.model = result.data = result.calibrationData = result.scheme = result.backend = hostile;
  result.notices = {hostile};
  fixture.config.precision.edit(
      [&](PrecisionConfig& config) { config.nodes.front().first = hostile; });
  result.notComputed[0] = {hostile, hostile, hostile, 1, hostile};
  for (OutputResult& output : result.outputs) output.value = hostile;
  for (LayerResult& layer : result.layers) layer.name = layer.op = layer.fusedOps = hostile;
  const QString page = markdownPage(fixture, {findingOn(fixture, hostile)});
  QVERIFY(!page.contains('<') && !page.contains('>'));
  QVERIFY(!page.contains(QRegularExpression(R"((?<!\\)[`\[\]])")));
  // As many lines as with plain names and one notice, and every row has the cells of its heading.
  const QStringList lines = page.split('\n');
  QCOMPARE(lines.size(), plain.split('\n').size() + 1);
  qsizetype bars = 0;
  for (const QString& line : lines) {
    if (!line.startsWith('|')) {
      bars = 0;
      continue;
    }
    if (bars == 0) bars = barsIn(line);
    QVERIFY2(barsIn(line) == bars, qPrintable(line));
  }
}

void ReportMarkdownTest::survivesEmptyResults() {
  const DetectorReport nothing;
  const QString page =
      QString::fromStdString(reportMarkdown({AnalysisResult(), Configuration(), nothing, "", 1}));
  QVERIFY(page.contains("No layer has an error that could be computed."));
  QVERIFY(page.contains("no findings."));
  QVERIFY(!page.contains("## Outputs") && !page.contains("## Not computed"));
}

void ReportMarkdownTest::largeModelsStaySmall() {
  ReportFixture fixture = test::deepReport(3000);
  for (LayerResult& layer : fixture.result.layers) layer.name += std::string(5000, 'x');
  fixture.result.notices.assign(400, std::string(5000, 'y'));
  const std::vector<Finding> findings(400, findingOn(fixture, std::string(5000, 'z')));
  const QString page = markdownPage(fixture, findings);
  QVERIFY2(page.size() < 300'000, qPrintable(QString::number(page.size())));
  QVERIFY(sectionBelow(page, "Findings").contains("400 findings"));
  QCOMPARE(page.count("- and 300 more\n"), 2);
}

QUANTSCOPE_TEST(ReportMarkdownTest)
#include "test_report_markdown.moc"
