#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>
#include <QToolButton>
#include <QtTest>

#include "support/test_main.h"
#include "ui/precision_words.h"
#include "widgets/configuration/override_list.h"
#include "widgets/configuration/overrides_model.h"
#include "widgets/controls/range_fields.h"
#include "widgets/precision/tensor_precision_form.h"
#include "widgets/tables/layer_columns.h"
#include "widgets/words/configuration_words.h"

using namespace quantscope;
using namespace quantscope::test;

/// What the inspector unfolds of weights, input and output.
class PrecisionDetailsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void detailsChangeOneField();
  void detailsRefuseTypesWithAReason();
  void layersThatDifferSaySo();
  void aRuleIsSetInDetail();
  void aRuleOfTheListIsShownAndEdited();
  void whatIsTriedIsWhatAClickDoes();
  void columnsOfLayersSetTensors();
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

QComboBox& box(TensorPrecisionForm& form, const char* field) {
  for (QComboBox* each : form.findChildren<QComboBox*>()) {
    if (each->accessibleName().endsWith(QString::fromLatin1(field))) return *each;
  }
  qFatal("no field %s", field);
}

// By the button whose menu says whose precision is set.
void chooseRule(const Workbench& bench, const QString& beginning) {
  auto& section = *bench->findChild<InspectorSection*>(QStringLiteral("precision"));
  for (QToolButton* button : section.findChildren<QToolButton*>()) {
    if (button->menu() == nullptr) continue;
    Q_EMIT button->menu()->aboutToShow();
    for (QAction* action : button->menu()->actions()) {
      if (action->text().startsWith(beginning)) return action->trigger();
    }
  }
  qFatal("no rule %s", qPrintable(beginning));
}

}  // namespace

void PrecisionDetailsTest::layersThatDifferSaySo() {
  const Workbench bench;
  const std::vector<NodeId> convs = nodesOf(bench, {QStringLiteral("Conv")});
  bench->session().selection().selectNode(convs[1]);
  PrecisionFields fields;
  fields.weight.granularity = Granularity{};
  bench->session().precision().setFields(fields, QStringLiteral("set"));
  bench->session().selection().selectNodes({convs[0], convs[1]});
  TensorPrecisionForm& weights = details(bench, QStringLiteral("weights"));
  QComboBox& granularity = box(weights, "Granularity");
  QCOMPARE(granularity.currentIndex(), -1);
  QCOMPARE(granularity.placeholderText(), QStringLiteral("Mixed"));
  QVERIFY(box(weights, "Type").currentIndex() >= 0);
  // What the first of them has already is an edit, too.
  granularity.setCurrentIndex(granularity.findText(QStringLiteral("Per channel")));
  QVERIFY(config(bench).nodes.empty());
  QCOMPARE(granularity.currentText(), QStringLiteral("Per channel"));
}

// The same as for all of its nodes by hand.
void PrecisionDetailsTest::aRuleIsSetInDetail() {
  const Workbench bench;
  const std::vector<NodeId> convs = nodesOf(bench, {QStringLiteral("Conv")});
  PrecisionFields fields;
  fields.weight.granularity = Granularity{};
  bench->session().selection().selectNodes(convs);
  bench->session().precision().setFields(fields, QStringLiteral("set"));
  bench.waitForEnd();
  const QStringList byHand = figures(bench);
  bench.action(ActionId::Undo)->trigger();

  bench->session().selection().selectNode(convs[2]);
  chooseRule(bench, QStringLiteral("Every Conv"));
  QVERIFY2(inspected(bench, "precision")
               .startsWith(QStringLiteral("INT8\n%1 layers, INT8").arg(convs.size())),
           qPrintable(inspected(bench, "precision")));
  QComboBox& granularity = box(details(bench, QStringLiteral("weights")), "Granularity");
  granularity.setCurrentIndex(granularity.findText(QStringLiteral("Per tensor")));
  QCOMPARE(bench->session().undoStack().undoText(),
           QStringLiteral("set weights to per tensor of every Conv"));
  QVERIFY(config(bench).nodes.empty());
  QCOMPARE(config(bench).opTypes.size(), std::size_t(1));
  bench.waitForEnd();
  QCOMPARE(figures(bench), byHand);
  // It is still the rule that is shown, and goes with Reset.
  QCOMPARE(granularity.currentText(), QStringLiteral("Per tensor"));
  bench->session().precision().reset();
  QVERIFY(config(bench).opTypes.empty());
  bench->session().selection().selectNode(convs[1]);
  QVERIFY(!bench->session().precision().selected().rule);
}

void PrecisionDetailsTest::aRuleOfTheListIsShownAndEdited() {
  const Workbench bench;
  PrecisionEditor& editor = bench->session().precision();
  const std::string first =
      bench->session().snapshot()->graph()[nodesOf(bench, {QStringLiteral("Conv")})[0]].name;
  const PrecisionTarget pattern{PrecisionTarget::Kind::Pattern, {first.substr(0, 2) + ".*"}};
  editor.setTypeOf(pattern, QuantType::Float32);
  QCOMPARE(config(bench).patterns.size(), std::size_t(1));
  const std::size_t layers = editor.choices()->layersOf(pattern).size();
  auto& overrides = *bench->findChild<OverrideList*>()->findChild<QTableView*>();
  Q_EMIT overrides.clicked(overrides.model()->index(0, OverridesModel::kName));
  QCOMPARE(editor.selected().layers.size(), layers);
  QVERIFY(editor.selected().rule == pattern);
  // What the rule would win with another type is measured.
  const auto known = [&] {
    const ConfigGains& gains = editor.gains();
    return !gains.empty() && gains[0] && gains[0]->measured;
  };
  QTRY_VERIFY_WITH_TIMEOUT(known(), 60'000);
  editor.setTypeAt(0);
  QVERIFY(!config(bench).patterns[0].use.float32);
  PrecisionFields fields;
  fields.activation.observer = ObserverSpec{.kind = ObserverSpec::Kind::Mse};
  editor.setFields(fields, QStringLiteral("set the observer of input to MSE of"));
  QCOMPARE(config(bench).patterns[0].use.activation.observer.kind, ObserverSpec::Kind::Mse);
  QCOMPARE(bench->session().undoStack().undoText(),
           QStringLiteral("set the observer of input to MSE of names like %1")
               .arg(text(pattern.names[0])));
}

// Of a layer, a scope and a rule, also where not all layers can take a type.
void PrecisionDetailsTest::whatIsTriedIsWhatAClickDoes() {
  const Workbench bench;
  useBackend(bench, "onnxruntime");
  PrecisionEditor& editor = bench->session().precision();
  int partly = 0;
  const auto clickAll = [&] {
    for (std::size_t place = 0; place < wholeTypes().size(); ++place) {
      const std::optional<Configuration> tried = editor.candidates()()[place];
      if (!tried) continue;
      if (editor.selected().offers[place].able < editor.selected().layers.size()) ++partly;
      const Configuration before = editor.config();
      editor.setTypeAt(place);
      QVERIFY2(editor.config() == *tried, qPrintable(typeTitle(wholeTypes()[place])));
      bench.action(ActionId::Undo)->trigger();
      QVERIFY(editor.config() == before);
    }
  };
  const NodeId conv = nodesOf(bench, {QStringLiteral("Conv")})[1];
  bench->session().selection().selectNode(conv);
  clickAll();
  const std::vector<PrecisionTarget> rules = editor.rules();
  QCOMPARE(rules.size(), std::size_t(2));
  for (const PrecisionTarget& rule : rules) {
    editor.setRule(rule);
    clickAll();
    bench->session().selection().selectNode(conv);
  }
  bench->session().selection().select({.node = {}, .scope = "/features", .value = {}});
  QVERIFY(editor.selected().layers.size() > 2);
  clickAll();
  QVERIFY(partly > 0);
}

void PrecisionDetailsTest::columnsOfLayersSetTensors() {
  const Workbench bench;
  QVERIFY(bench.bringUp(Spot::Layers));
  QTableView& table = bench.layers();
  int column = 0;
  while (layerColumns()[static_cast<std::size_t>(column)].tensor != TensorRole::Weight) ++column;
  const NodeId conv = nodesOf(bench, {QStringLiteral("Conv")})[1];
  bench->session().selection().selectNode(conv);
  const QModelIndex cell = table.currentIndex().siblingAtColumn(column);
  table.scrollTo(cell);
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(cell).center());
  auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  QVERIFY(menu != nullptr);
  QStringList titles;
  for (const QAction* action : menu->actions()) titles << action->text();
  QCOMPARE(titles.join(u' '), QStringLiteral("Type Granularity Symmetry Observer"));
  menu->actions()[1]->menu()->actions()[0]->trigger();
  menu->close();
  QCOMPARE(bench->session().undoStack().undoText(),
           QStringLiteral("set weights to per tensor of %1")
               .arg(text(bench->session().snapshot()->graph()[conv].name)));
}

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
