#include <QAbstractScrollArea>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "analysis/errors/worst_output.h"
#include "app/gui/comparison.h"
#include "app/gui/controllers/sensitivity_controller.h"
#include "support/test_main.h"
#include "ui/project_window.h"
#include "widgets/charts/curve_chart.h"
#include "widgets/look/text.h"
#include "widgets/sensitivity/front_pane.h"
#include "widgets/sensitivity/sensitivity_bar.h"
#include "widgets/sensitivity/sensitivity_model.h"
#include "widgets/sensitivity/sensitivity_table.h"
#include "widgets/sensitivity/sensitivity_view.h"
#include "widgets/sensitivity/widening_pane.h"
#include "widgets/words/configuration_words.h"

using namespace quantscope;
using namespace quantscope::test;
using nlohmann::json;

/// Which layers matter: what the tab shows, and what is done from it.
class SensitivityTabTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theCommandLineSaysTheSame_data();
  void theCommandLineSaysTheSame();
  void estimatesComeFirst();
  void pausedEditedResumed();
  void closedAndReopenedItEndsAlike();
  void rowsAreSelectedEverywhere();
  void whatIsAppliedIsWhatWasPromised();
  void anyCountIsMeasuredWhenAsked();
  void whatIsAdoptedIsWhatWasPreviewed();
  void aSearchIsStopped();
  void withoutDataItSaysWhatToDo();
};

namespace {

constexpr int kPatience = 120'000;

SensitivityView& tabOf(const TestWindow& window) {
  window.action(ActionId::ShowSensitivity)->trigger();
  return *window->findChild<SensitivityView*>();
}

QPushButton& buttonOf(QWidget& parent, const QString& words) {
  for (QPushButton* button : parent.findChildren<QPushButton*>()) {
    if (button->text() == words) return *button;
  }
  qFatal("no button reads %s", qPrintable(words));
}

bool complete(SensitivityView& tab, const Workbench& bench) {
  const SensitivityStatePtr& state = tab.state();
  return state && state->complete() && isAbout(*state, bench->session().request(), tab.request());
}

void measureAll(SensitivityView& tab, const Workbench& bench) {
  clickButton(buttonOf(tab.bar(), QStringLiteral("Start")));
  QTRY_VERIFY_WITH_TIMEOUT(complete(tab, bench), kPatience);
}

QStringList only(PrecisionPart part) {
  if (part == PrecisionPart::Both) return {};
  const bool weights = part == PrecisionPart::Weights;
  return {QStringLiteral("--only"),
          weights ? QStringLiteral("weights") : QStringLiteral("activations")};
}

json toldByTheCommandLine(const AnalysisRequest& request, const SensitivityRequest& asked) {
  const QTemporaryDir folder;
  const QString config = folder.filePath(QStringLiteral("config.json"));
  const QString result = folder.filePath(QStringLiteral("result.json"));
  QFile file(config);
  if (!file.open(QFile::WriteOnly)) return {};
  file.write(QByteArray::fromStdString(toJson(request.config)));
  file.close();
  const bool alone = asked.around == SensitivityRequest::Around::Float;
  QStringList types;
  for (const QuantType type : asked.types) types << text(name(type));
  QProcess cli;
  cli.start(
      QUANTSCOPE_CLI,
      QStringList{QStringLiteral("sensitivity"), text(request.model.string()),
                  QStringLiteral("--data"), text(request.data), QStringLiteral("--labels"),
                  text(request.labels.string()), QStringLiteral("--samples"),
                  QString::number(*request.source.samples), QStringLiteral("--config"), config,
                  QStringLiteral("--types"), types.join(u','), QStringLiteral("--around"),
                  alone ? QStringLiteral("float") : QStringLiteral("config"),
                  QStringLiteral("--json"), result} +
          only(asked.part));
  cli.waitForFinished(kPatience);
  QFile report(result);
  if (!report.open(QFile::ReadOnly)) return {};
  return json::parse(report.readAll().toStdString());
}

std::optional<double> numberIn(const json& place) {
  return place.is_number() ? std::optional(place.get<double>()) : std::nullopt;
}

int rowOf(const QAbstractItemModel& rows, const SensitivityRow& wanted) {
  for (int row = 0; row < rows.rowCount(); ++row) {
    const auto words = [&](int column) { return rows.index(row, column).data().toString(); };
    if (words(SensitivityModel::kName) == text(wanted.node) &&
        words(SensitivityModel::kType) == typeTitle(wanted.type)) {
      return row;
    }
  }
  return -1;
}

// What the table shows, by layer and type; the model gives it with full precision.
QStringList differences(SensitivityView& tab, const json& told) {
  QStringList found;
  const auto& table = *tab.findChild<SensitivityTable*>()->findChild<QTableView*>();
  const QAbstractItemModel& rows = *table.model();
  const SensitivityState& state = *tab.state();
  if (rows.rowCount() != static_cast<int>(told.at("nodes").size())) found << "rows";
  for (const json& node : told.at("nodes")) {
    const auto row = std::ranges::find_if(state.rows, [&](const SensitivityRow& each) {
      return each.node == node.at("node") && name(each.type) == node.at("type");
    });
    if (row == state.rows.end()) {
      found << text(node.at("node").get<std::string>());
      continue;
    }
    std::optional<double> worst;
    for (const json& output : node.at("outputs")) {
      const std::optional<double> each = numberIn(output.at("sqnr_db"));
      if (each && (!worst || *each < *worst)) worst = each;
    }
    const int place = rowOf(rows, *row);
    const auto exact = [&](int column) { return rows.index(place, column).data(kExactRole); };
    const bool same = (!worst || exact(SensitivityModel::kWorst).toDouble() == *worst) &&
                      row->localSqnrDb == numberIn(node.at("local_sqnr_db")) &&
                      row->weightBytes == node.at("weight_bytes").get<double>() &&
                      row->macs == node.at("macs").get<double>();
    if (!same) found << text(row->node);
  }
  return found;
}

}  // namespace

void SensitivityTabTest::theCommandLineSaysTheSame_data() {
  QTest::addColumn<int>("around");
  QTest::addColumn<int>("type");
  QTest::addColumn<QString>("part");
  using Around = SensitivityRequest::Around;
  QTest::newRow("alone") << static_cast<int>(Around::Float) << static_cast<int>(QuantType::Int8)
                         << QStringLiteral("Both");
  QTest::newRow("weights") << static_cast<int>(Around::Float) << static_cast<int>(QuantType::Int8)
                           << QStringLiteral("Weights");
  QTest::newRow("changed") << static_cast<int>(Around::Configuration)
                           << static_cast<int>(QuantType::Float16) << QStringLiteral("Both");
}

void SensitivityTabTest::theCommandLineSaysTheSame() {
  QFETCH(const int, around);
  QFETCH(const int, type);
  QFETCH(const QString, part);
  const Workbench bench("digits_mobilenet", 6);
  setToFloat(bench, bench.layer(bench.worstLayer()).node);
  SensitivityView& tab = tabOf(bench);
  tab.bar().setRequest({.types = {static_cast<QuantType>(type)},
                        .around = static_cast<SensitivityRequest::Around>(around)});
  for (QToolButton* each : tab.bar().findChildren<QToolButton*>()) {
    if (each->text() == part) clickButton(*each);
  }
  measureAll(tab, bench);
  QVERIFY(tab.state()->rows.size() > 10);
  const json told = toldByTheCommandLine(bench->session().request(), tab.request());
  QVERIFY(told.contains("nodes"));
  QCOMPARE(differences(tab, told), QStringList());
  const SensitivityRequest asked = tab.request();
  const QByteArray kept = tab.saveState();
  tab.bar().setRequest({.types = {QuantType::Int8}});
  QVERIFY(tab.restoreState(kept));
  QVERIFY(tab.request() == asked);
}

// The table says so as long as they stand there, and how good they were once there are others.
void SensitivityTabTest::estimatesComeFirst() {
  const Workbench bench("digits_mobilenet", 48);
  SensitivityView& tab = tabOf(bench);
  tab.bar().setRequest({.types = {QuantType::Int8, QuantType::Int4}});
  const auto& table = *tab.findChild<SensitivityTable*>();
  const auto words = [&] {
    QStringList all;
    for (const QLabel* label : table.findChildren<QLabel*>()) {
      if (label->isVisible()) all << label->text();
    }
    return all.join(u'\n');
  };
  const auto worst = [&](int role) {
    const QAbstractItemModel& rows = *table.findChild<QTableView*>()->model();
    return rows.index(0, SensitivityModel::kWorst).data(role);
  };
  QStringList notes;
  bool marked = false;
  const auto look = [&] {
    const SensitivityState& state = *tab.state();
    if (state.estimates.empty() || !state.rows.empty()) return;
    notes << words();
    marked = worst(SensitivityModel::kWaitsRole).toBool() &&
             worst(kExactRole).toDouble() == state.waiting.front().sqnrDb;
  };
  connect(bench->findChild<SensitivityController*>(), &SensitivityController::measured, &tab, look);
  measureAll(tab, bench);
  QCOMPARE(notes.size(), 1);
  QVERIFY2(notes.front().contains(QStringLiteral("≈ is estimated from gradients on 16 samples.")),
           qPrintable(notes.front()));
  QVERIFY(marked);
  QCOMPARE(tab.state()->quality.rows, tab.state()->rows.size());
  QVERIFY2(words().contains(QStringLiteral("Estimates agree with %1 measured rows: ρ ")
                                .arg(tab.state()->rows.size())),
           qPrintable(words()));
}

// Work that was paused goes on, for the configuration that is there by then.
void SensitivityTabTest::pausedEditedResumed() {
  const Workbench bench("digits_mobilenet", 96);
  SensitivityView& tab = tabOf(bench);
  tab.bar().setRequest({.types = {QuantType::Int8, QuantType::Float16}});
  clickButton(buttonOf(tab.bar(), QStringLiteral("Start")));
  QElapsedTimer patience;
  for (patience.start(); !tab.state() && patience.elapsed() < kPatience;) QTest::qWait(1);
  QVERIFY(tab.state());
  QVERIFY(!tab.state()->complete());
  clickButton(buttonOf(tab.bar(), QStringLiteral("Pause")));
  QTest::qWait(300);
  const std::size_t known = tab.state()->rows.size();
  QTest::qWait(600);
  QCOMPARE(tab.state()->rows.size(), known);
  QVERIFY(!tab.state()->complete());
  setToFloat(bench, bench.layer(bench.worstLayer()).node);
  tab.bar().setRequest(
      {.types = {QuantType::Int8}, .around = SensitivityRequest::Around::Configuration});
  clickButton(buttonOf(tab.bar(), QStringLiteral("Start")));
  QTRY_VERIFY_WITH_TIMEOUT(complete(tab, bench), kPatience);
  const json told = toldByTheCommandLine(bench->session().request(), tab.request());
  QVERIFY(told.contains("nodes"));
  QCOMPARE(differences(tab, told), QStringList());
}

// A window that closed in the middle of a sweep: its project has what was measured, and the rest
// ends as if nothing had happened.
void SensitivityTabTest::closedAndReopenedItEndsAlike() {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("work.quantscope"));
  const SensitivityRequest asked{.types = {QuantType::Int8, QuantType::Float16}};
  {
    const Workbench bench("digits_mobilenet", 24);
    saveAs(bench, file);
    SensitivityView& tab = tabOf(bench);
    tab.bar().setRequest(asked);
    clickButton(buttonOf(tab.bar(), QStringLiteral("Start")));
    QElapsedTimer patience;
    const auto some = [&] { return tab.state() && !tab.state()->rows.empty(); };
    for (patience.start(); !some() && patience.elapsed() < kPatience;) QTest::qWait(1);
    QVERIFY(some());
  }
  OrderedWork::instance().finish();
  const TestWindow window(false);
  openProject(window, file);
  SensitivityView& tab = tabOf(window);
  tab.bar().setRequest(asked);
  clickButton(buttonOf(tab.bar(), QStringLiteral("Start")));
  const auto done = [&] {
    return tab.state() && tab.state()->complete() &&
           isAbout(*tab.state(), window->session().request(), tab.request());
  };
  QTRY_VERIFY_WITH_TIMEOUT(done(), kPatience);
  const json told = toldByTheCommandLine(window->session().request(), tab.request());
  QVERIFY(told.contains("nodes"));
  QCOMPARE(differences(tab, told), QStringList());
}

void SensitivityTabTest::rowsAreSelectedEverywhere() {
  const Workbench bench("digits_mobilenet", 2);
  SensitivityView& tab = tabOf(bench);
  measureAll(tab, bench);
  auto& table = *tab.findChild<SensitivityTable*>()->findChild<QTableView*>();
  const QModelIndex third = table.model()->index(2, SensitivityModel::kName);
  const std::string node = third.data(kExactRole).toString().toStdString();
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(third).center());
  const Graph& graph = bench->session().snapshot()->graph();
  QCOMPARE(bench->session().selection().current().node, graph.findNode(node));
  const std::string other = tab.state()->rows.back().node;
  bench->session().selection().selectNode(graph.findNode(other));
  const QModelIndexList rows = table.selectionModel()->selectedRows();
  QCOMPARE(rows.size(), 1);
  QCOMPARE(rows.front().data(kExactRole).toString(), text(other));
  // The worst is at the top.
  const auto worst = [&](int row) {
    return table.model()->index(row, SensitivityModel::kWorst).data(kExactRole).toDouble();
  };
  for (int row = 1; row < table.model()->rowCount(); ++row) QVERIFY(worst(row - 1) <= worst(row));
}

void SensitivityTabTest::whatIsAppliedIsWhatWasPromised() {
  const Workbench bench("digits_mobilenet", 6);
  SensitivityView& tab = tabOf(bench);
  measureAll(tab, bench);
  WideningPane& pane = tab.widening();
  QTRY_VERIFY_WITH_TIMEOUT(pane.chart().content().points.size() > 5, kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(pane.current() != nullptr, kPatience);
  // By mouse and by key.
  QTest::mouseClick(pane.chart().findChild<QAbstractScrollArea*>()->viewport(), Qt::LeftButton, {},
                    pane.chart().positionOf(3));
  QCOMPARE(pane.current()->count, std::size_t{3});
  QTest::keyClick(&pane.chart(), Qt::Key_Right);
  QCOMPARE(pane.current()->count, std::size_t{4});
  const WideningPoint promised = *pane.current();
  const int steps = bench->session().undoStack().count();
  const std::size_t journal = bench->session().document().journal().size();
  clickButton(buttonOf(pane, QStringLiteral("Apply k = 4")));
  bench.waitForEnd();
  QCOMPARE(bench->session().undoStack().count(), steps + 1);
  QCOMPARE(bench->session().document().journal().size(), journal + 1);
  QCOMPARE(bench->session().undoStack().undoText(),
           QStringLiteral("set the 4 most sensitive layers to float"));
  const AnalysisResult& result = *bench->session().snapshot()->result;
  QVERIFY(worstOutputSqnr(result.outputs) == promised.point.sqnrDb);
  QCOMPARE(static_cast<double>(result.summary.quantizedBytes), promised.point.bytes);
  // The curve stays in sight, of what it was; nothing of it can be applied.
  QVERIFY(pane.chart().content().points.size() > 5);
  QVERIFY(!buttonOf(pane, QStringLiteral("Apply k = 4")).isEnabled());
  const QList<QLabel*> labels = pane.findChildren<QLabel*>();
  QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
    return label->text().startsWith(QStringLiteral("This curve is of another configuration."));
  }));
  bench.action(ActionId::Undo)->trigger();
  bench.waitForEnd();
  QCOMPARE(bench->session().snapshot()->request.config, Configuration());
}

// Also where the curve has no point of its own: it measures some counts only.
void SensitivityTabTest::anyCountIsMeasuredWhenAsked() {
  const Workbench bench("digits_mobilenet", 6);
  SensitivityView& tab = tabOf(bench);
  measureAll(tab, bench);
  WideningPane& pane = tab.widening();
  auto& count = *pane.findChild<QSpinBox*>();
  // With all of them in float there is no error left to be drawn.
  QTRY_VERIFY_WITH_TIMEOUT(count.maximum() > 16 && !pane.chart().content().points.empty() &&
                               pane.chart().content().points.back().x() >= count.maximum() - 1,
                           kPatience);
  const auto has = [&](int k) {
    return std::ranges::any_of(pane.chart().content().points,
                               [&](const QPointF& point) { return point.x() == k; });
  };
  int missing = count.maximum() - 1;
  while (missing > 0 && has(missing)) --missing;
  QVERIFY(missing > 0);
  count.setValue(missing);
  QVERIFY(!buttonOf(pane, QStringLiteral("Apply k = %1").arg(missing)).isEnabled());
  QTRY_VERIFY_WITH_TIMEOUT(pane.current() != nullptr && has(missing), kPatience);
  QCOMPARE(pane.current()->count, static_cast<std::size_t>(missing));
  const WideningPoint promised = *pane.current();
  clickButton(buttonOf(pane, QStringLiteral("Apply k = %1").arg(missing)));
  bench.waitForEnd();
  const AnalysisResult& result = *bench->session().snapshot()->result;
  QVERIFY(worstOutputSqnr(result.outputs) == promised.point.sqnrDb);
}

void SensitivityTabTest::whatIsAdoptedIsWhatWasPreviewed() {
  const Workbench bench("digits_mobilenet", 6);
  SensitivityView& tab = tabOf(bench);
  FrontPane& pane = tab.front();
  tab.findChild<QTabWidget*>()->setCurrentWidget(&pane);
  const QPushButton& search = buttonOf(pane, QStringLiteral("Search"));
  clickButton(buttonOf(pane, QStringLiteral("Search")));
  const auto ended = [&] {
    return buttonOf(pane, QStringLiteral("Adopt")).isVisible() &&
           search.text() == QStringLiteral("Search");
  };
  QTRY_VERIFY_WITH_TIMEOUT(ended(), kPatience);
  QVERIFY(pane.front().size() >= 20);
  const int steps = bench->session().undoStack().count();
  Q_EMIT pane.chart().picked(4);
  QCOMPARE(pane.current(), 4);
  const FrontPoint chosen = pane.front()[4];
  const auto shownAsB = [&] {
    const SnapshotPtr b = bench->comparison().snapshot();
    return b && b->request.config == chosen.config;
  };
  QTRY_VERIFY_WITH_TIMEOUT(shownAsB(), kPatience);
  QVERIFY(worstOutputSqnr(bench->comparison().snapshot()->result->outputs) == chosen.point.sqnrDb);
  QCOMPARE(bench->session().undoStack().count(), steps);
  clickButton(buttonOf(pane, QStringLiteral("Adopt")));
  bench.waitForEnd();
  QCOMPARE(bench->session().undoStack().count(), steps + 1);
  const AnalysisResult& result = *bench->session().snapshot()->result;
  QVERIFY(worstOutputSqnr(result.outputs) == chosen.point.sqnrDb);
  QCOMPARE(static_cast<double>(result.summary.quantizedBytes), chosen.point.bytes);
}

void SensitivityTabTest::aSearchIsStopped() {
  const Workbench bench("digits_mobilenet", 6);
  FrontPane& pane = tabOf(bench).front();
  bench.view<SensitivityView>().findChild<QTabWidget*>()->setCurrentWidget(&pane);
  QPushButton& search = buttonOf(pane, QStringLiteral("Search"));
  clickButton(search);
  QCOMPARE(search.text(), QStringLiteral("Stop"));
  clickButton(search);
  QCOMPARE(search.text(), QStringLiteral("Search"));
  QTest::qWait(600);
  QVERIFY(pane.front().empty());
}

void SensitivityTabTest::withoutDataItSaysWhatToDo() {
  const TestWindow window;
  AnalysisRequest request = sampleRequest("digits_mobilenet", 2);
  request.data.clear();
  request.labels.clear();
  window->session().open(request);
  window.waitForEnd();
  window.action(ActionId::ShowSensitivity)->trigger();
  auto& tab = *window->findChild<SensitivityView*>();
  QVERIFY(!buttonOf(tab.bar(), QStringLiteral("Start")).isEnabled());
  QVERIFY(!buttonOf(tab.front(), QStringLiteral("Search")).isEnabled());
  QStringList words;
  for (const QLabel* label : tab.findChildren<QLabel*>()) {
    if (label->isVisible()) words << label->text();
  }
  QVERIFY(words.join(u' ').contains(QStringLiteral("Choose data first")));
}

QUANTSCOPE_TEST(SensitivityTabTest)
#include "test_sensitivity.moc"
