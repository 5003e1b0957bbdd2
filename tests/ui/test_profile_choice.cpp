#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "base/number_text.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/copy/table_actions.h"
#include "widgets/look/text.h"
#include "widgets/sensitivity/criteria_field.h"
#include "widgets/sensitivity/front_pane.h"
#include "widgets/sensitivity/profile_pane.h"
#include "widgets/sensitivity/search_ways.h"
#include "widgets/sensitivity/sensitivity_view.h"
#include "widgets/words/configuration_words.h"

using namespace quantscope;
using namespace quantscope::test;
using nlohmann::json;

/// Types by profiles of operators: what the search's tab shows without data, and what is adopted.
class ProfileChoiceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theCommandLineChoosesTheSame_data();
  void theCommandLineChoosesTheSame();
  void keysAloneChooseAndAdopt();
  void withDataItIsAnotherWay();
  void rowsAreSelectedEverywhere();
  void otherSettingsStay();
  void aModelThatLoadsIsNotGivenThem();
  void whatWasChosenIsRemembered();
  void withoutAModelItInvites();
};

namespace {

constexpr int kProfilePatience = 60'000;

void openWithoutData(const TestWindow& window) {
  AnalysisRequest request = sampleRequest("digits_transformer", 2);
  request.data.clear();
  request.labels.clear();
  window->session().open(request);
  window.waitForEnd();
}

/// The search's tab in front.
struct SearchTab {
  explicit SearchTab(const TestWindow& window) {
    window.action(ActionId::ShowSensitivity)->trigger();
    view = window->findChild<SensitivityView*>();
    view->findChild<QTabWidget*>()->setCurrentWidget(&view->front());
    ways = &view->front().ways();
    pane = &ways->profiles();
    table = pane->findChild<QTableWidget*>();
    adopt = pane->findChild<QPushButton*>();
  }

  QString cell(int row, int column) const { return table->item(row, column)->text(); }
  int rowOf(const std::string& node) const {
    for (int row = 0; row < table->rowCount(); ++row) {
      if (cell(row, 0) == text(node)) return row;
    }
    return -1;
  }
  bool ready() const { return table->isVisible() && adopt->isEnabled(); }
  QString words() const {
    QStringList all;
    for (const QLabel* label : pane->findChildren<QLabel*>()) {
      if (label->isVisibleTo(pane)) all << label->text();
    }
    return all.join(u'\n');
  }
  void showWay(const QString& title) const {
    for (QToolButton* button : ways->findChildren<QToolButton*>()) {
      if (button->text() == title) clickButton(*button);
    }
  }

  SensitivityView* view;
  SearchWays* ways;
  ProfilePane* pane;
  QTableWidget* table;
  QPushButton* adopt;
};

std::string chosenByTheCommandLine(const AnalysisRequest& request, const QString& criteria) {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("config.json"));
  QProcess cli;
  cli.start(QUANTSCOPE_CLI,
            {QStringLiteral("optimize"), text(request.model.string()), QStringLiteral("--criteria"),
             criteria, QStringLiteral("--out"), file});
  cli.waitForFinished(kProfilePatience);
  QFile written(file);
  if (!written.open(QFile::ReadOnly)) return {};
  return written.readAll().toStdString();
}

QString titleOf(const std::string& scheme) {
  const std::optional<QuantType> type = quantTypeFromName(scheme);
  return type ? typeTitle(*type) : QStringLiteral("Dynamic");
}

// What a row shows otherwise than the file says.
QStringList differences(const SearchTab& tab, const json& told) {
  QStringList found;
  if (tab.table->rowCount() != static_cast<int>(told.at("nodes").size())) found << "rows";
  for (const auto& [node, precision] : told.at("nodes").items()) {
    const json& why = told.at("why").at(node);
    const int row = tab.rowOf(node);
    const bool same =
        row >= 0 && tab.cell(row, 1) == titleOf(why.at("scheme")) &&
        tab.table->item(row, 2)->data(kExactRole).toDouble() ==
            why.at("confidence").get<double>() &&
        tab.cell(row, 3) == text(why.at("text").get<std::string>()) &&
        tab.table->item(row, 3)->toolTip().contains(text(percent(why.at("accuracy_loss")))) &&
        tab.table->item(row, 3)->toolTip().contains(shortText(why.at("speedup").get<double>()) +
                                                    QStringLiteral(" ×"));
    if (!same) found << text(node);
  }
  return found;
}

}  // namespace

void ProfileChoiceTest::theCommandLineChoosesTheSame_data() {
  QTest::addColumn<QString>("criteria");
  for (const char* each : {"performance", "balanced", "accuracy", "custom:0.01:2", "custom:0:9"}) {
    QTest::newRow(each) << QString::fromLatin1(each);
  }
}

void ProfileChoiceTest::theCommandLineChoosesTheSame() {
  QFETCH(const QString, criteria);
  const TestWindow window;
  openWithoutData(window);
  const SearchTab tab(window);
  QCOMPARE(tab.ways->way(), SearchWays::Way::Profiles);
  tab.pane->criteria().setCriteria(parseCriteria(criteria.toStdString()));
  Q_EMIT tab.pane->criteria().changed();
  QTRY_VERIFY_WITH_TIMEOUT(tab.ready(), kProfilePatience);
  const std::string file = chosenByTheCommandLine(window->session().request(), criteria);
  QVERIFY(!file.empty());
  QVERIFY(tab.table->rowCount() > 10);
  QCOMPARE(differences(tab, json::parse(file)), QStringList());
  QVERIFY2(tab.words().contains(QStringLiteral("nothing is measured")), qPrintable(tab.words()));
  const Configuration before = window->session().request().config;
  const int steps = window->session().undoStack().count();
  clickButton(*tab.adopt);
  window.waitForEnd();
  QVERIFY(window->session().request().config == parseConfiguration(file, "the command line"));
  QCOMPARE(window->session().undoStack().count(), steps + 1);
  // A second click would do nothing.
  QVERIFY(!tab.adopt->isEnabled());
  QVERIFY(!tab.adopt->toolTip().isEmpty());
  window.action(ActionId::Undo)->trigger();
  window.waitForEnd();
  QVERIFY(window->session().request().config == before);
  QVERIFY(tab.adopt->isEnabled());
}

void ProfileChoiceTest::keysAloneChooseAndAdopt() {
  const TestWindow window;
  openWithoutData(window);
  const SearchTab tab(window);
  QTRY_VERIFY_WITH_TIMEOUT(tab.ready(), kProfilePatience);
  auto& kind = *tab.pane->findChild<QComboBox*>();
  const QList<QDoubleSpinBox*> limits = tab.pane->findChildren<QDoubleSpinBox*>();
  QCOMPARE(limits.size(), 2);
  QVERIFY(!limits[0]->isVisible() && !limits[1]->isVisible());
  kind.setFocus();
  for (int i = 0; i < kind.count(); ++i) QTest::keyClick(&kind, Qt::Key_Down);
  QVERIFY(limits[0]->isVisible() && limits[1]->isVisible());
  // Nothing is so accurate and so fast.
  QTest::keyClick(limits[0], Qt::Key_A, Qt::ControlModifier);
  QTest::keyClicks(limits[0], QStringLiteral("0"));
  QTest::keyClick(limits[0], Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(
      tab.ready() && tab.cell(0, 3).startsWith(QStringLiteral("Fallback selection")),
      kProfilePatience);
  for (int row = 0; row < tab.table->rowCount(); ++row) {
    QCOMPARE(tab.cell(row, 1), typeTitle(QuantType::Int16));
  }
  QVERIFY(tab.adopt->focusPolicy() & Qt::TabFocus);
  QTest::keyClick(tab.adopt, Qt::Key_Space);
  window.waitForEnd();
  QCOMPARE(window->session().undoStack().undoText(),
           QStringLiteral("adopt types by profiles: loses ≤ 0.00 %, speed ≥ 1.50 ×"));
}

void ProfileChoiceTest::withDataItIsAnotherWay() {
  const Workbench bench("digits_mobilenet", 2);
  const SearchTab tab(bench);
  QCOMPARE(tab.ways->way(), SearchWays::Way::Measured);
  QVERIFY(tab.ways->measured().isVisible());
  tab.showWay(QStringLiteral("By profiles, without data"));
  QVERIFY(!tab.ways->measured().isVisible());
  QTRY_VERIFY_WITH_TIMEOUT(tab.ready(), kProfilePatience);
  clickButton(*tab.adopt);
  bench.waitForEnd();
  const SnapshotPtr& shown = bench->session().snapshot();
  QCOMPARE(shown->result->backend, std::string("generic"));
  QCOMPARE(static_cast<int>(shown->request.config.precision->nodes.size()), tab.table->rowCount());
}

void ProfileChoiceTest::rowsAreSelectedEverywhere() {
  const TestWindow window;
  openWithoutData(window);
  const SearchTab tab(window);
  QTRY_VERIFY_WITH_TIMEOUT(tab.ready(), kProfilePatience);
  tab.table->setFocus();
  tab.table->setCurrentCell(2, 0);
  QTest::keyClick(tab.table, Qt::Key_Down);
  const Graph& graph = window->session().snapshot()->graph();
  QCOMPARE(window->session().selection().current().node,
           graph.findNode(tab.cell(3, 0).toStdString()));
  // The reason in full, below the table.
  QVERIFY2(tab.words().contains(tab.cell(3, 3)), qPrintable(tab.words()));
}

// Only backend, types and rules are adopted.
void ProfileChoiceTest::otherSettingsStay() {
  const TestWindow window;
  openWithoutData(window);
  Session& session = window->session();
  Configuration config = session.request().config;
  config.precision.edit([](PrecisionConfig& precision) {
    precision.convention = Convention::PyTorch;
    precision.bias = BiasRule::Int32;
    precision.calibrationSamples = 7;
  });
  session.setConfig(config, QStringLiteral("change the rest"));
  window.waitForEnd();
  const SearchTab tab(window);
  QTRY_VERIFY_WITH_TIMEOUT(tab.ready(), kProfilePatience);
  clickButton(*tab.adopt);
  window.waitForEnd();
  const PrecisionConfig& adopted = *session.request().config.precision;
  QCOMPARE(adopted.backend, std::string("generic"));
  QCOMPARE(static_cast<int>(adopted.nodes.size()), tab.table->rowCount());
  QVERIFY(adopted.convention == Convention::PyTorch);
  QVERIFY(adopted.bias == BiasRule::Int32);
  QCOMPARE(adopted.calibrationSamples, std::size_t{7});
}

// The types of one model have the names of its nodes.
void ProfileChoiceTest::aModelThatLoadsIsNotGivenThem() {
  const TestWindow window;
  openWithoutData(window);
  const SearchTab tab(window);
  QTRY_VERIFY_WITH_TIMEOUT(tab.ready(), kProfilePatience);
  AnalysisRequest other = sampleRequest("digits_mobilenet", 2);
  other.data.clear();
  other.labels.clear();
  window->session().open(other);
  QVERIFY(window->session().snapshot()->request.model != window->session().request().model);
  QVERIFY(!tab.adopt->isEnabled());
  Q_EMIT tab.pane->adoptRequested();
  QVERIFY(window->session().request().config == other.config);
  window.waitForEnd();
  QTRY_VERIFY_WITH_TIMEOUT(tab.ready(), kProfilePatience);
  clickButton(*tab.adopt);
  window.waitForEnd();
  const Graph& graph = window->session().snapshot()->graph();
  const PrecisionConfig& adopted = *window->session().request().config.precision;
  QVERIFY(!adopted.nodes.empty());
  for (const auto& [node, precision] : adopted.nodes) {
    QVERIFY2(graph.findNode(node).valid(), node.c_str());
  }
}

void ProfileChoiceTest::whatWasChosenIsRemembered() {
  const Workbench bench("digits_mobilenet", 2);
  const SearchTab tab(bench);
  tab.showWay(QStringLiteral("By profiles, without data"));
  const Criteria asked{Criteria::Kind::Custom, 0.03F, 1.2F};
  tab.pane->criteria().setCriteria(asked);
  const QByteArray state = tab.view->saveState();
  tab.showWay(QStringLiteral("On samples"));
  tab.pane->criteria().setCriteria({});
  QVERIFY(tab.view->restoreState(state));
  QCOMPARE(tab.ways->way(), SearchWays::Way::Profiles);
  const Criteria read = tab.pane->criteria().criteria();
  QCOMPARE(read.kind, asked.kind);
  QCOMPARE(read.maxAccuracyLoss, asked.maxAccuracyLoss);
  QCOMPARE(read.minSpeedup, asked.minSpeedup);
}

void ProfileChoiceTest::withoutAModelItInvites() {
  const TestWindow window;
  const SearchTab tab(window);
  tab.ways->choose(SearchWays::Way::Profiles);
  QVERIFY(!tab.adopt->isVisibleTo(tab.pane));
  QVERIFY(!tab.table->isVisibleTo(tab.pane));
  QVERIFY2(tab.words().contains(QStringLiteral("Open a model")), qPrintable(tab.words()));
}

QUANTSCOPE_TEST(ProfileChoiceTest)
#include "test_profile_choice.moc"
