#include "bench/ui/reopen_time.h"

#include <QTemporaryDir>

#include "app/gui/projects/ordered_work.h"
#include "app/gui/projects/project_controller.h"
#include "bench/ui/wait.h"
#include "widgets/graph/graph_view.h"

namespace quantscope::bench {
namespace {

bool isFull(MainWindow& window) {
  const SnapshotPtr& snapshot = window.session().snapshot();
  const auto& graph = *window.findChild<GraphView*>();
  return snapshot && snapshot->stage == AnalysisSnapshot::Stage::Complete &&
         !window.session().stale() && window.turns().settled() && graph.settled();
}

}  // namespace

double measureReopen(MainWindow& window) {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("work.quantscope"));
  // The gains of suggestions are kept too.
  waitForAnalysis(window);
  window.project().saveAs(file);
  waitUntil([&] { return window.project().keeper().path() == file; }, "the project");
  OrderedWork::instance().finish();
  window.session().closeModel();
  OrderedWork::instance().finish();
  MainWindow other;
  other.resize(window.size());
  other.show();
  QApplication::processEvents();
  QElapsedTimer timer;
  timer.start();
  other.opener().openPath(file);
  waitUntil([&] { return isFull(other); }, "the project on screen");
  return millisecondsOf(timer);
}

}  // namespace quantscope::bench
