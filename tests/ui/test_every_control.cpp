#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QMenu>
#include <QTimer>
#include <QtTest>

#include "app/gui/window/appearance.h"
#include "support/test_main.h"
#include "ui/workbench.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

/// Answers every question and closes every menu that would wait for someone.
class Impatience : public QObject {
 public:
  Impatience() {
    connect(&m_timer, &QTimer::timeout, this, [this] {
      if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
      if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) {
        ++m_dialogs;
        dialog->reject();
      }
    });
    m_timer.start(10);
  }
  int dialogs() const { return m_dialogs; }

 private:
  QTimer m_timer;
  int m_dialogs = 0;
};

bool endsTheWindow(const QAction& action) {
  const QString name = action.objectName() + action.text().remove(u'&');
  return name.contains(QStringLiteral("Close")) || name.contains(QStringLiteral("Quit"));
}

// Actions of the window, its views and panels, in and out of menus. Guarded, because menus with
// choices make them again each time that they open.
QList<QPointer<QAction>> actionsOf(const TestWindow& window) {
  QList<QPointer<QAction>> actions;
  for (QAction* action : window->findChildren<QAction*>()) {
    if (!action->isSeparator() && action->menu() == nullptr && !endsTheWindow(*action)) {
      actions << action;
    }
  }
  return actions;
}

template <class Widget>
QList<QPointer<Widget>> inSight(const TestWindow& window) {
  QList<QPointer<Widget>> widgets;
  for (Widget* widget : window->findChildren<Widget*>()) {
    if (widget->isVisible() && widget->isEnabled()) widgets << widget;
  }
  return widgets;
}

// A window takes its menus along, which are on the list too.
void closeOthers(const TestWindow& window) {
  QList<QPointer<MainWindow>> others;
  for (QWidget* widget : QApplication::topLevelWidgets()) {
    others << qobject_cast<MainWindow*>(widget);
  }
  for (const QPointer<MainWindow>& other : others) {
    if (other != window.window.get()) delete other;
  }
}

}  // namespace

/// Nothing that can be pressed brings the window down, whatever is in front.
class EveryControlTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { Appearance::instance().choose(ThemeChoice::System); }

  void everyActionRuns();
  void everyButtonAndChoiceWorks_data();
  void everyButtonAndChoiceWorks();
};

void EveryControlTest::everyActionRuns() {
  const Workbench window;
  const Impatience impatience;
  for (const Spot spot : {Spot::Graph, Spot::Heatmap, Spot::Layers, Spot::Ranges}) {
    QVERIFY(window.bringUp(spot));
  }
  QVERIFY(window.click(Spot::Layers, window.worstLayer()));
  QSet<QString> ran;
  for (const QPointer<QAction>& action : actionsOf(window)) {
    if (!action || !action->isEnabled()) continue;
    ran << action->text();
    action->trigger();
    QCoreApplication::processEvents();
    // Those that are on come off again.
    if (action && action->isCheckable()) action->trigger();
    QCoreApplication::processEvents();
  }
  window.waitForEnd();
  closeOthers(window);
  for (const char* title : {"Copy Picture", "Save Picture As…"}) {
    QVERIFY2(ran.contains(QString::fromUtf8(title)), title);
  }
  QVERIFY(impatience.dialogs() > 0);
  QVERIFY2(ran.size() > 40, qPrintable(QString::number(ran.size())));
  QVERIFY(window->session().hasModel());
  window->session().selection().selectNode(window.layer(3).node);
  window.view<HeatmapView>().setMode(HeatmapMode::Metrics);
  for (const Spot spot : {Spot::Graph, Spot::Heatmap, Spot::Layers, Spot::Ranges}) {
    QVERIFY(window.bringUp(spot));
  }
}

void EveryControlTest::everyButtonAndChoiceWorks_data() {
  QTest::addColumn<Spot>("front");
  QTest::newRow("graph") << Spot::Graph;
  QTest::newRow("heatmap") << Spot::Heatmap;
  QTest::newRow("layers") << Spot::Layers;
  QTest::newRow("ranges") << Spot::Ranges;
}

void EveryControlTest::everyButtonAndChoiceWorks() {
  QFETCH(Spot, front);
  const Workbench window;
  const Impatience impatience;
  QVERIFY(window.click(Spot::Layers, window.worstLayer()));
  QVERIFY(window.bringUp(front));
  int pressed = 0;
  for (const QPointer<QAbstractButton>& button : inSight<QAbstractButton>(window)) {
    if (!button || !button->isVisible() || !button->isEnabled()) continue;
    // Closing a panel takes what is on it out of sight; its button is Qt's own.
    if (button->objectName().startsWith(QStringLiteral("qt_dockwidget"))) continue;
    ++pressed;
    button->click();
    QCoreApplication::processEvents();
  }
  for (const QPointer<QComboBox>& choice : inSight<QComboBox>(window)) {
    if (!choice || !choice->isVisible()) continue;
    for (int i = 0; choice && i < choice->count(); ++i) {
      choice->setCurrentIndex(i);
      Q_EMIT choice->activated(i);
      QCoreApplication::processEvents();
    }
  }
  window.waitForEnd();
  closeOthers(window);
  QVERIFY2(pressed > 5, qPrintable(QString::number(pressed)));
  QVERIFY(window->session().hasModel());
  QVERIFY(window->session().snapshot()->stage == AnalysisSnapshot::Stage::Complete);
}

QUANTSCOPE_TEST(EveryControlTest)
#include "test_every_control.moc"
