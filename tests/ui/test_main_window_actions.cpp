#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QtTest>

#include "app/gui/window/appearance.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/charts/curve_chart.h"
#include "widgets/controls/command_palette.h"
#include "widgets/look/theme.h"
#include "widgets/outline/outline_view.h"
#include "widgets/sensitivity/front_pane.h"
#include "widgets/sensitivity/sensitivity_bar.h"
#include "widgets/sensitivity/sensitivity_view.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Every entry that can be triggered, sub-menus too.
QList<QAction*> menuEntries(const MainWindow& window) {
  QList<QAction*> entries;
  for (const PaletteCommand& command : menuCommands(*window.menuBar())) entries << command.action;
  return entries;
}

std::string selectedName(const TestWindow& window) {
  const NodeId node = window->session().selection().current().node;
  return node.valid() ? window->session().snapshot()->graph()[node].name : std::string();
}

QList<MainWindow*> otherWindows(const TestWindow& window) {
  QList<MainWindow*> others;
  for (QWidget* widget : QApplication::topLevelWidgets()) {
    auto* other = qobject_cast<MainWindow*>(widget);
    if (other != nullptr && other != window.window.get()) others << other;
  }
  return others;
}

}  // namespace

class MainWindowActionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { Appearance::instance().choose(ThemeChoice::System); }

  void theListIsSound();
  void everyActionStandsInItsMenu();
  void actionsAreOnWhenTheyCanRun_data();
  void actionsAreOnWhenTheyCanRun();
  void everyEntryCanBeTriggered_data();
  void everyEntryCanBeTriggered();
  void undoNamesTheChange();
  void aFieldWithoutChangesLeavesUndoToTheWindow();
  void theToolbarChangesWhatIsShown();
  void goesAlongTheErrors();
  void searchSelectsTheNextMatch();
  void escapeClearsTheSelection();
  void theSummaryIsCopied();
  void theSensitivityViewHasCommands();
  void thePaletteRunsACommand();
  void escapeLeavesThePalette();
  void theThemeIsChosenAndRemembered();
  void theLayoutIsRemembered();
  void theLayoutIsReset();
  void anotherWindowIsIndependent();
};

void MainWindowActionsTest::theListIsSound() {
  QStringList names;
  QStringList shortcuts;
  for (const ActionSpec& spec : actionSpecs()) {
    const QString name = QString::fromLatin1(spec.name);
    QVERIFY2(!names.contains(name), spec.name);
    names << name;
    const QString tooltip = QString::fromUtf8(spec.tooltip);
    QVERIFY2(tooltip.size() > 10 && tooltip.endsWith(u'.'), spec.name);
    const QString drawing = QStringLiteral(":/icons/%1.svg").arg(QString::fromLatin1(spec.icon));
    QVERIFY2(*spec.icon == '\0' || QFile::exists(drawing), spec.icon);
    if (*spec.shortcuts == '\0') continue;
    for (const QKeySequence& keys :
         QKeySequence::listFromString(QString::fromLatin1(spec.shortcuts))) {
      QVERIFY2(!keys.isEmpty() && !shortcuts.contains(keys.toString()), spec.name);
      shortcuts << keys.toString();
    }
  }
}

void MainWindowActionsTest::everyActionStandsInItsMenu() {
  const TestWindow window;
  for (const ActionSpec& spec : actionSpecs()) {
    const QAction* action = window.action(spec.id);
    QStringList menus;
    for (const QAction* top : window->menuBar()->actions()) {
      if (top->menu()->actions().contains(action)) menus << top->text().remove(u'&');
    }
    QCOMPARE(menus, QStringList{menuTitle(spec.menu, false)});
  }
}

void MainWindowActionsTest::actionsAreOnWhenTheyCanRun_data() {
  QTest::addColumn<ActionId>("id");
  QTest::addColumn<QString>("expected");  // start page, open, a layer selected
  const auto row = [](const char* name, ActionId id, const char* expected) {
    QTest::newRow(name) << id << QString::fromLatin1(expected);
  };
  row("open", ActionId::OpenModel, "1 1 1");
  row("close model", ActionId::CloseModel, "0 1 1");
  row("undo", ActionId::Undo, "0 0 0");
  row("copy summary", ActionId::CopySummary, "0 1 1");
  row("find", ActionId::Find, "0 1 1");
  row("data", ActionId::ChooseData, "0 1 1");
  row("run", ActionId::Run, "0 1 1");
  row("cancel", ActionId::Cancel, "0 0 0");
  row("back", ActionId::Back, "0 0 1");
  row("forward", ActionId::Forward, "0 0 0");
  row("worst", ActionId::WorstLayer, "0 1 1");
  row("centre", ActionId::Centre, "0 0 1");
  row("clear", ActionId::ClearSelection, "0 0 1");
  row("heatmap", ActionId::ShowHeatmap, "0 1 1");
  row("reset", ActionId::ResetLayout, "0 1 1");
}

void MainWindowActionsTest::actionsAreOnWhenTheyCanRun() {
  QFETCH(ActionId, id);
  const TestWindow window;
  QStringList states;
  const auto note = [&] { states << QString::number(int(window.action(id)->isEnabled())); };
  note();
  window.openSample(2);
  note();
  window->session().selection().selectNode(
      window->session().snapshot()->result->layers.front().node);
  note();
  QTEST(states.join(u' '), "expected");
}

void MainWindowActionsTest::everyEntryCanBeTriggered_data() {
  QTest::addColumn<bool>("open");
  QTest::newRow("start page") << false;
  QTest::newRow("model open") << true;
}

void MainWindowActionsTest::everyEntryCanBeTriggered() {
  QFETCH(bool, open);
  const TestWindow window;
  if (open) window.openSample(2);
  // Names, as menus that are filled when they open have new entries each time.
  QStringList names;
  for (const QAction* action : menuEntries(*window.window)) names << action->text();
  QVERIFY(names.size() > (open ? 40 : 15));
  for (const QString& name : names) {
    if (name.contains(QStringLiteral("Quit")) || name.contains(QStringLiteral("Close"))) continue;
    for (QAction* action : menuEntries(*window.window)) {
      if (action->text() != name) continue;
      action->trigger();
      break;
    }
    QCoreApplication::processEvents();
  }
  window.waitForEnd();
  QVERIFY(window.dialogs->asked.contains(QStringLiteral("model")));
  QVERIFY(window.dialogs->asked.contains(QStringLiteral("about")));
  for (MainWindow* other : otherWindows(window)) delete other;
}

void MainWindowActionsTest::undoNamesTheChange() {
  const TestWindow window;
  window.openSample(2);
  PrecisionConfig config = *window->session().request().config.precision;
  config.defaults.weight.granularity = Granularity{};
  window->session().setConfig(config, QStringLiteral("set weights to per tensor"));
  QCOMPARE(window.action(ActionId::Undo)->text(),
           QStringLiteral("&Undo set weights to per tensor"));
  QVERIFY(window.action(ActionId::Undo)->isEnabled());
  window.action(ActionId::Undo)->trigger();
  QVERIFY(!window.action(ActionId::Undo)->isEnabled());
  QVERIFY(window.action(ActionId::Redo)->isEnabled());
  window.waitForEnd();
}

void MainWindowActionsTest::aFieldWithoutChangesLeavesUndoToTheWindow() {
  const TestWindow window;
  window.openSample(2);
  window.waitForEnd();
  Session& session = window->session();
  session.setDismissed("outlier/somewhere", true);
  QLineEdit& filter = *window->findChild<OutlineView*>()->findChild<QLineEdit*>();
  QTRY_VERIFY(window->isActiveWindow());
  filter.setFocus();
  QTest::keyClicks(&filter, QStringLiteral("conv"));
  QTest::keySequence(&filter, QKeySequence::Undo);
  QVERIFY(filter.text().isEmpty());
  QVERIFY(session.undoStack().canUndo());
  QTest::keySequence(&filter, QKeySequence::Undo);
  QVERIFY(!session.undoStack().canUndo());
  QCOMPARE(filter.text(), QString());
  QTest::keySequence(&filter, QKeySequence::Redo);
  QCOMPARE(filter.text(), QStringLiteral("conv"));
  QTest::keySequence(&filter, QKeySequence::Redo);
  QVERIFY(session.undoStack().canUndo());
}

void MainWindowActionsTest::theToolbarChangesWhatIsShown() {
  const TestWindow window;
  window.openSample(2);
  DisplayOptions& options = window->session().options();
  window.action(ActionId::KindAccumulated)->trigger();
  QVERIFY(options.kind() == ErrorKind::Accumulated);
  QVERIFY(window.action(ActionId::KindAccumulated)->isChecked());
  QVERIFY(!window.action(ActionId::KindLocal)->isChecked());
  window.action(ActionId::KindAccumulated)->trigger();  // again: it stays on
  QVERIFY(window.action(ActionId::KindAccumulated)->isChecked());
  QComboBox* metrics = window->toolBar().metrics();
  metrics->setCurrentIndex(2);
  Q_EMIT metrics->activated(2);
  QCOMPARE(options.metricIndex(), std::size_t{2});
  options.setMetricIndex(1);
  QCOMPARE(metrics->currentIndex(), 1);
}

void MainWindowActionsTest::goesAlongTheErrors() {
  const TestWindow window;
  window.openSample(4);
  window.action(ActionId::WorstLayer)->trigger();
  const std::string worst = selectedName(window);
  // The layer with the lowest SQNR, found the plain way.
  const LayerResult* lowest = nullptr;
  for (const LayerResult& layer : window->session().snapshot()->result->layers) {
    if (!layer.local || !layer.local->total.sqnrDb) continue;
    if (lowest == nullptr || *layer.local->total.sqnrDb < *lowest->local->total.sqnrDb) {
      lowest = &layer;
    }
  }
  QCOMPARE(worst, lowest->name);
  window.action(ActionId::NextBetter)->trigger();
  QVERIFY(selectedName(window) != worst);
  window.action(ActionId::NextWorse)->trigger();
  QCOMPARE(selectedName(window), worst);
  window.action(ActionId::Back)->trigger();
  QVERIFY(selectedName(window) != worst);
}

void MainWindowActionsTest::searchSelectsTheNextMatch() {
  const TestWindow window;
  window.openSample(2);
  window->tabs().setCurrentIndex(3);
  QLineEdit* search = window->toolBar().search();
  window.action(ActionId::Find)->trigger();
  QTest::keyClicks(search, QStringLiteral("add"));
  QTest::keyClick(search, Qt::Key_Return);
  const std::string first = selectedName(window);
  QVERIFY2(QString::fromStdString(first).contains(QStringLiteral("add"), Qt::CaseInsensitive),
           first.c_str());
  QTest::keyClick(search, Qt::Key_Return);
  QVERIFY(selectedName(window) != first);
  QTest::keyClick(search, Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(selectedName(window), first);
}

void MainWindowActionsTest::escapeClearsTheSelection() {
  const TestWindow window;
  window.openSample(2);
  window.action(ActionId::WorstLayer)->trigger();
  QVERIFY(!selectedName(window).empty());
  window->activateWindow();
  QTRY_VERIFY(window->isActiveWindow());
  QTest::keyClick(window.window.get(), Qt::Key_Escape);
  QVERIFY(selectedName(window).empty());
}

void MainWindowActionsTest::theSummaryIsCopied() {
  const TestWindow window;
  window.openSample(2);
  window.action(ActionId::CopySummary)->trigger();
  QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("output SQNR")));
}

void MainWindowActionsTest::theSensitivityViewHasCommands() {
  const Workbench window("digits_mobilenet", 4);
  const auto offered = [&](ActionId id) {
    window->actions().refresh();
    return window.action(id)->isEnabled();
  };
  QVERIFY(!offered(ActionId::ApplySensitive) && !offered(ActionId::Adopt));
  QVERIFY(offered(ActionId::MeasureSensitivity));
  window.action(ActionId::MeasureSensitivity)->trigger();
  auto& view = window.view<SensitivityView>();
  QVERIFY(view.isVisible());
  const auto& run = *view.bar().findChild<QPushButton*>();
  QCOMPARE(run.text(), QStringLiteral("Pause"));
  window.action(ActionId::MeasureSensitivity)->trigger();
  QVERIFY(run.text() != QStringLiteral("Pause"));
  window.action(ActionId::MeasureSensitivity)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(offered(ActionId::ApplySensitive), 120'000);
  QVERIFY(!offered(ActionId::MeasureSensitivity));
  const Configuration before = window->session().request().config;
  window.action(ActionId::ApplySensitive)->trigger();
  window.waitForEnd();
  QVERIFY(window->session().request().config != before);
  QVERIFY(offered(ActionId::Search));
  window.action(ActionId::Search)->trigger();
  QVERIFY(view.front().isVisible());
  QTRY_VERIFY_WITH_TIMEOUT(view.front().front().size() > 1, 120'000);
  window.action(ActionId::Search)->trigger();
  const std::vector<FrontPoint> front = view.front().front();
  const auto other = std::ranges::find_if(front, [&](const FrontPoint& point) {
    return point.config != window->session().request().config;
  });
  QVERIFY(other != front.end());
  Q_EMIT view.front().chart().picked(static_cast<int>(other - front.begin()));
  QVERIFY(offered(ActionId::Adopt));
  window.action(ActionId::Adopt)->trigger();
  QVERIFY(window->session().request().config == other->config);
  QVERIFY(!offered(ActionId::Adopt));
}

void MainWindowActionsTest::thePaletteRunsACommand() {
  const TestWindow window;
  window.openSample(2);
  window.action(ActionId::Commands)->trigger();
  QVERIFY(window->palettePopup().isVisible());
  QLineEdit* field = window->palettePopup().field();
  QTest::keyClicks(field, QStringLiteral("worst layer"));
  QTest::keyClick(field, Qt::Key_Return);
  QVERIFY(!window->palettePopup().isVisible());
  QVERIFY(!selectedName(window).empty());
}

void MainWindowActionsTest::escapeLeavesThePalette() {
  const TestWindow window;
  window.openSample(2);
  window.action(ActionId::WorstLayer)->trigger();
  window.action(ActionId::Commands)->trigger();
  QTest::keyClick(window->palettePopup().field(), Qt::Key_Escape);
  QVERIFY(!window->palettePopup().isVisible());
  QVERIFY(!selectedName(window).empty());  // Esc was the palette's alone
}

void MainWindowActionsTest::theThemeIsChosenAndRemembered() {
  const TestWindow window;
  Appearance::instance().choose(ThemeChoice::Dark);
  QVERIFY(Theme::of(QGuiApplication::palette()).dark);
  QTRY_VERIFY(Theme::of(window->palette()).dark);
  QCOMPARE(openSettings().value(QStringLiteral("theme")).toString(), QStringLiteral("dark"));
  Appearance::instance().choose(ThemeChoice::Light);
  QTRY_VERIFY(!Theme::of(window->palette()).dark);
}

void MainWindowActionsTest::theLayoutIsRemembered() {
  {
    const TestWindow window;
    window.openSample(2);
    window.panel("outline").hide();
    window.panel("jobs").show();
    window->tabs().setCurrentIndex(2);
    window->session().options().setMetricIndex(1);
    window->session().options().setKind(ErrorKind::Accumulated);
    window->resize(1200, 760);
    window->close();
  }
  const TestWindow window(false);
  window.openSample(2);
  QVERIFY(!window.panel("outline").isVisible());
  QVERIFY(window.panel("jobs").isVisible());
  QVERIFY(window.panel("inspector").isVisible());
  QCOMPARE(window->tabs().currentIndex(), 2);
  QCOMPARE(window->session().options().metricIndex(), std::size_t{1});
  QVERIFY(window->session().options().kind() == ErrorKind::Accumulated);
  QCOMPARE(window->size(), QSize(1200, 760));
}

void MainWindowActionsTest::theLayoutIsReset() {
  const TestWindow window;
  window.openSample(2);
  window.panel("outline").hide();
  window.panel("inspector").setFloating(true);
  window.action(ActionId::ResetLayout)->trigger();
  QVERIFY(window.panel("outline").isVisible());
  QVERIFY(!window.panel("inspector").isFloating());
}

void MainWindowActionsTest::anotherWindowIsIndependent() {
  const TestWindow window;
  window.openSample(2);
  window->move(200, 200);
  window.action(ActionId::NewWindow)->trigger();
  const QList<MainWindow*> others = otherWindows(window);
  QCOMPARE(others.size(), 1);
  QVERIFY(!others.constFirst()->session().hasModel());
  const QRect screen = others.constFirst()->screen()->availableGeometry();
  QVERIFY(others.constFirst()->geometry().bottom() <= screen.bottom());
  QVERIFY(others.constFirst()->geometry().top() >= screen.top());
  QVERIFY(others.constFirst()->close());
  QVERIFY(window->session().hasModel());
}

QUANTSCOPE_TEST(MainWindowActionsTest)
#include "test_main_window_actions.moc"
