#include <QClipboard>
#include <QGuiApplication>
#include <QtTest>

#include "support/test_main.h"
#include "ui/precision_words.h"

using namespace quantscope;
using namespace quantscope::test;

/// A precision goes by the clipboard to other layers, as far as they can take it.
class CopiedPrecisionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void copyAndPaste();
  void onlyWhatCanTakeItIsPasted_data();
  void onlyWhatCanTakeItIsPasted();
  void aRangeIsNotPasted();
  void otherTextIsNotPasted();
};

void CopiedPrecisionsTest::copyAndPaste() {
  const Workbench bench;
  const std::vector<std::size_t> layers = quantizedLayers(bench);
  Selection& selection = bench->session().selection();
  selection.selectNode(bench.layer(layers[0]).node);
  bench.action(ActionId::SetType4)->trigger();
  bench.action(ActionId::CopyPrecision)->trigger();
  selection.selectNodes({bench.layer(layers[1]).node, bench.layer(layers[2]).node});
  bench.action(ActionId::PastePrecision)->trigger();
  QCOMPARE(bench->session().undoStack().undoText(),
           QStringLiteral("paste the precision to 2 layers"));
  std::size_t members = 0;
  for (std::size_t i = 0; i < 3; ++i) members += bench.layer(layers[i]).members.size();
  QCOMPARE(config(bench).nodes.size(), members);
  for (const auto& [name, precision] : config(bench).nodes) QVERIFY(precision.float32);
}

void CopiedPrecisionsTest::onlyWhatCanTakeItIsPasted_data() {
  QTest::addColumn<QByteArray>("backend");
  QTest::addColumn<int>("key");
  QTest::addColumn<QStringList>("operators");
  QTest::addColumn<QString>("message");
  QTest::addColumn<bool>("edited");
  const auto row = [](const char* what, const char* backend, int key, const QStringList& operators,
                      const char* message, bool edited) {
    QTest::newRow(what) << QByteArray(backend) << key << operators << QString::fromLatin1(message)
                        << edited;
  };
  // Copied under generic, which has all types, and pasted under another backend.
  row("all can", "generic", 2, {"Conv", "Add"}, "", true);
  row("none can", "x86", 2, {"Conv"}, "X86 runs Conv in INT8 only.", false);
  row("some can", "x86", 3, {"Gemm", "Add"}, "Set 1 of %1 layers: x86 runs Add in INT8 only.",
      true);
  row("float goes everywhere", "x86", 4, {"Conv", "Add"}, "", true);
  row("what moves data", "generic", 2, {"Flatten"},
      "Flatten only moves data: its output stays on the grid of its input.", false);
}

void CopiedPrecisionsTest::onlyWhatCanTakeItIsPasted() {
  QFETCH(QByteArray, backend);
  QFETCH(int, key);
  QFETCH(QStringList, operators);
  QFETCH(QString, message);
  QFETCH(bool, edited);
  const Workbench bench;
  useBackend(bench, "generic");
  bench->session().selection().selectNode(nodesOf(bench, {QStringLiteral("Conv")}).front());
  bench->session().precision().setTypeAt(static_cast<std::size_t>(key - 1));
  bench.action(ActionId::CopyPrecision)->trigger();
  bench.action(ActionId::Undo)->trigger();
  if (backend != "generic") useBackend(bench, backend.constData());
  const std::vector<NodeId> nodes = nodesOf(bench, operators);
  QVERIFY(!nodes.empty());
  bench->session().selection().selectNodes(nodes);
  const int before = bench->session().undoStack().index();
  bench.action(ActionId::PastePrecision)->trigger();
  QCOMPARE(bench->session().undoStack().index() - before, edited ? 1 : 0);
  if (message.contains(QStringLiteral("%1"))) message = message.arg(nodes.size());
  QCOMPARE(bench.messages(), message);
  QCOMPARE(config(bench).nodes.empty(), !edited);
  bench.waitForEnd();
  for (const std::string& notice : bench->session().snapshot()->result->notices) {
    QVERIFY2(notice.find("'nodes.") == std::string::npos, notice.c_str());
  }
}

void CopiedPrecisionsTest::aRangeIsNotPasted() {
  const Workbench bench;
  const std::vector<NodeId> convs = nodesOf(bench, {QStringLiteral("Conv")});
  bench->session().selection().selectNode(convs[0]);
  PrecisionFields fields;
  fields.weight.granularity = Granularity{};
  fields.output.range = Range{-1, 1, false};
  bench->session().precision().setFields(fields, QStringLiteral("set"));
  bench.action(ActionId::CopyPrecision)->trigger();
  bench->session().selection().selectNodes({convs[1], convs[2]});
  bench.action(ActionId::PastePrecision)->trigger();
  QCOMPARE(config(bench).nodes.size(), std::size_t(3));
  for (std::size_t i = 0; i < 3; ++i) {
    const NodePrecision& precision = config(bench).nodes[i].second;
    QVERIFY(precision.weight.granularity == Granularity{});
    QCOMPARE(precision.output.range.has_value(), i == 0);
  }
}

void CopiedPrecisionsTest::otherTextIsNotPasted() {
  const Workbench bench;
  bench->session().selection().selectNode(bench.layer(quantizedLayers(bench)[0]).node);
  for (const char* words : {"", "hello", "{}", R"({"quantscope_precision": {"weight": 3}})"}) {
    QGuiApplication::clipboard()->setText(QString::fromLatin1(words));
    bench.action(ActionId::PastePrecision)->trigger();
    QCOMPARE(bench.messages(), QStringLiteral("The clipboard holds no precision."));
  }
  QVERIFY(!bench->session().undoStack().canUndo());
}

QUANTSCOPE_TEST(CopiedPrecisionsTest)
#include "test_copied_precisions.moc"
