#include <QComboBox>
#include <QLineEdit>
#include <QToolButton>
#include <QtTest>

#include "support/test_main.h"
#include "ui/precision_words.h"
#include "widgets/controls/range_fields.h"
#include "widgets/precision/tensor_precision_form.h"

using namespace quantscope;
using namespace quantscope::test;

/// What the inspector unfolds of weights, input and output.
class PrecisionDetailsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void detailsChangeOneField();
  void detailsRefuseTypesWithAReason();
  void rangesAreTypedAndTakenBack_data();
  void rangesAreTypedAndTakenBack();
};

namespace {

// The form of a tensor in the details, which are unfolded for it.
TensorPrecisionForm& details(const Workbench& bench, const QString& tensor) {
  auto& section = *bench->findChild<InspectorSection*>(QStringLiteral("precision"));
  for (QToolButton* button : section.findChildren<QToolButton*>()) {
    if (button->text() == QStringLiteral("Details")) button->setChecked(true);
  }
  for (TensorPrecisionForm* form : section.findChildren<TensorPrecisionForm*>()) {
    if (form->findChild<QComboBox*>()->accessibleName() == tensor + QStringLiteral(" Type")) {
      return *form;
    }
  }
  qFatal("no details of %s", qPrintable(tensor));
}

}  // namespace

void PrecisionDetailsTest::detailsChangeOneField() {
  const Workbench bench;
  const std::vector<std::size_t> layers = quantizedLayers(bench);
  bench->session().selection().selectNodes(
      {bench.layer(layers[0]).node, bench.layer(layers[1]).node});
  PrecisionFields fields;
  fields.weight.granularity = Granularity{};
  bench->session().precision().setFields(fields, QStringLiteral("set weights to per tensor of"));
  QCOMPARE(bench->session().undoStack().undoText(),
           QStringLiteral("set weights to per tensor of 2 layers"));
  QCOMPARE(config(bench).nodes.size(), std::size_t(2));
  bench->session().selection().selectNode(bench.layer(layers[0]).node);
  QVERIFY2(inspected(bench, "precision").startsWith(QStringLiteral("INT8\nOverride: weights ")),
           qPrintable(inspected(bench, "precision")));
}

void PrecisionDetailsTest::detailsRefuseTypesWithAReason() {
  const Workbench bench;
  bench->session().selection().selectNode(nodesOf(bench, {QStringLiteral("Conv")}).front());
  const auto item = [&](const char* type) {
    const auto& box = *details(bench, QStringLiteral("weights")).findChild<QComboBox*>();
    return box.model()->index(box.findText(QString::fromLatin1(type)), 0);
  };
  QVERIFY(item("INT8").flags().testFlag(Qt::ItemIsEnabled));
  QVERIFY(!item("INT4").flags().testFlag(Qt::ItemIsEnabled));
  const QString why = item("INT4").data(Qt::ToolTipRole).toString();
  QVERIFY2(why.contains(QStringLiteral("x86 runs Conv with weights of INT8 only.")),
           qPrintable(why));
  QVERIFY(!item("INT8").data(Qt::ToolTipRole).toString().contains(QStringLiteral("x86")));
  useBackend(bench, "generic");
  QVERIFY(item("INT4").flags().testFlag(Qt::ItemIsEnabled));
}

void PrecisionDetailsTest::rangesAreTypedAndTakenBack_data() {
  QTest::addColumn<QString>("tensor");
  for (const char* tensor : {"weights", "input", "output"}) {
    QTest::newRow(tensor) << QString::fromLatin1(tensor);
  }
}

void PrecisionDetailsTest::rangesAreTypedAndTakenBack() {
  QFETCH(QString, tensor);
  const Workbench bench;
  const std::vector<std::size_t> layers = quantizedLayers(bench);
  bench->session().selection().selectNode(bench.layer(layers[1]).node);
  const QStringList before = figures(bench);
  auto& range = *details(bench, tensor).findChild<RangeFields*>();
  QVERIFY(range.isVisible());
  const QList<QLineEdit*> fields = range.findChildren<QLineEdit*>();
  auto& observed = *range.findChild<QToolButton*>();
  QVERIFY(fields[0]->text().isEmpty() && !observed.isVisible());
  QTest::keyClicks(fields[0], QStringLiteral("-0.25"));
  QTest::keyClicks(fields[1], QStringLiteral("0.5"));
  QTest::keyClick(fields[1], Qt::Key_Return);
  QCOMPARE(bench->session().undoStack().undoText(),
           QStringLiteral("set the range of %1 to −0.250 … 0.500 of %2")
               .arg(tensor, text(bench.layer(layers[1]).name)));
  const NodePrecision& own = config(bench).nodes.at(0).second;
  const TensorPrecision& set = tensor == QStringLiteral("weights") ? own.weight
                               : tensor == QStringLiteral("input") ? own.activation
                                                                   : own.output;
  QVERIFY(set.range && set.range->low == -0.25F && set.range->high == 0.5F);
  QCOMPARE(int(own.weight.range.has_value()) + int(own.activation.range.has_value()) +
               int(own.output.range.has_value()),
           1);
  bench.waitForEnd();
  QVERIFY(figures(bench) != before);
  QVERIFY(observed.isVisible());
  observed.click();
  QVERIFY(config(bench).nodes.empty());
  bench.waitForEnd();
  QCOMPARE(figures(bench), before);
}

QUANTSCOPE_TEST(PrecisionDetailsTest)
#include "test_precision_details.moc"
