#pragma once

#include <QAction>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QTest>
#include <memory>

#include "app/gui/projects/ordered_work.h"
#include "app/gui/projects/project_controller.h"
#include "app/gui/projects/unsaved_work.h"
#include "app/gui/window/main_window.h"
#include "app/gui/window/settings.h"
#include "support/patience.h"
#include "support/sample_snapshot.h"
#include "support/test_paths.h"
#include "ui/result_watch.h"

namespace quantscope::test {

/// Answers at once, and remembers what it was asked.
class SilentDialogs : public Dialogs {
 public:
  QString chooseModel(QWidget* /*parent*/, const QString& /*folder*/) override {
    asked << QStringLiteral("model");
    return model;
  }
  std::optional<AnalysisRequest> chooseData(QWidget* /*parent*/, const LoadedModel& /*model*/,
                                            const AnalysisRequest& start) override {
    asked << QStringLiteral("data");
    if (data.isEmpty()) return std::nullopt;
    AnalysisRequest request = start;
    request.data = data.toStdString();
    request.labels.clear();
    return request;
  }
  QString chooseProject(QWidget* /*parent*/, const QString& proposed) override {
    asked << QStringLiteral("project ") + proposed;
    return project;
  }
  QString chooseReplacement(QWidget* /*parent*/, FileRole role, const QString& gone) override {
    asked << QString::fromLatin1(name(role)) + u' ' + gone;
    return replacement;
  }
  QString chooseImport(QWidget* /*parent*/, const QString& /*folder*/) override { return imported; }
  QString chooseCosts(QWidget* /*parent*/, const QString& /*folder*/) override {
    asked << QStringLiteral("costs");
    return costs;
  }
  QString chooseTwin(QWidget* /*parent*/, const QString& /*folder*/, TwinKind kind) override {
    asked << (kind == TwinKind::Dumps ? QStringLiteral("dumps") : QStringLiteral("twin"));
    return twin;
  }
  QString chooseComparison(QWidget* /*parent*/, const QString& proposed) override {
    asked << QStringLiteral("comparison ") + proposed;
    return comparison;
  }
  QString chooseRepaired(QWidget* /*parent*/, const QString& proposed) override {
    asked << QStringLiteral("repaired ") + proposed;
    return repaired;
  }
  QString chooseName(QWidget* /*parent*/, const QString& called) override {
    asked << QStringLiteral("name ") + called;
    return newName;
  }
  bool mayLose(QWidget* /*parent*/, const QString& question, const QString& /*consent*/) override {
    asked << question;
    return loses;
  }
  void showAbout(QWidget* /*parent*/) override { asked << QStringLiteral("about"); }
  void openFolder(const QString& folder) override { asked << folder; }

  QString model;
  QString data;
  QString project;
  QString replacement;
  QString newName;
  QString twin;
  QString imported;
  QString costs;
  QString repaired;
  QString comparison;
  bool loses = false;
  QStringList asked;
};

/// A window with its dialogs; nothing is remembered from the one before.
struct TestWindow {
  explicit TestWindow(bool forget = true) {
    if (forget) {
      openSettings().clear();
      OrderedWork::instance().finish();
      for (const UnsavedWork& work : findUnsavedWork()) QFile::remove(work.file);
    }
    window = std::make_unique<MainWindow>(dialogs);
    results = std::make_unique<ResultWatch>(window->session());
    // The screen of the tests is smaller than that of most users.
    if (forget) window->resize(1440, 900);
    window->show();
  }

  MainWindow* operator->() const { return window.get(); }

  void openSample(std::size_t samples = 4) const {
    window->session().open(sampleRequest("digits_mobilenet", samples));
    waitForEnd();
  }

  /// For the result on screen, but not for what its suggestions would gain.
  void waitForEnd() const {
    results->wait();
    settle();
  }

  void waitForGains() const {
    results->waitForGains();
    settle();
  }

  void settle() const {
    QTRY_VERIFY(window->turns().settled());
    QCoreApplication::processEvents();
  }

  QAction* action(ActionId id) const { return window->actions().at(id); }

  QDockWidget& panel(const char* name) const {
    return *window->findChild<QDockWidget*>(QString::fromLatin1(name));
  }

  QString messages() const {
    QStringList lines;
    for (const Message& message : window->messages().messages()) lines << message.sentence;
    return lines.join(u'\n');
  }

  std::shared_ptr<SilentDialogs> dialogs = std::make_shared<SilentDialogs>();
  std::unique_ptr<MainWindow> window;
  std::unique_ptr<ResultWatch> results;
};

/// Clicks on a button as one who sees it: what was just shown has its place by then.
inline void clickButton(QWidget& button) {
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  QTest::mouseClick(&button, Qt::LeftButton);
}

inline QString samplePath(const char* name) {
  return QStringLiteral(QUANTSCOPE_SAMPLES_DIRECTORY "/") + QString::fromLatin1(name);
}

}  // namespace quantscope::test
