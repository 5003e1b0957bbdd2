// A window as another process, for tests that kill it.
//   FILE SEED  works on the project without end; FILE "-": on a sample, without a name
// Says "N" when the Nth thing is on disk.

#include <QApplication>
#include <cstdio>

#include "support/sample_snapshot.h"
#include "ui/edit_steps.h"
#include "ui/window_fixture.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

void workWithoutEnd(MainWindow& window, unsigned seed) {
  EditSteps steps(seed);
  std::puts("ready");
  std::fflush(stdout);
  for (std::size_t done = 1;; ++done) {
    const EditSteps::Step step = steps.next();
    if (step.edit) {
      const auto* config = std::get_if<ConfigEdit>(&*step.edit);
      const auto* dismissal = std::get_if<Dismissal>(&*step.edit);
      config != nullptr ? window.session().apply(*config)
                        : window.session().setDismissed(dismissal->finding, dismissal->dismissed);
    } else {
      window.session().undoStack().undo();
    }
    while (!window.project().keeper().written()) QCoreApplication::processEvents();
    std::printf("%zu\n", done);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("quantscope-test"));
  const QStringList words = QApplication::arguments();
  if (words.size() != 3) return 2;
  MainWindow window(std::make_shared<SilentDialogs>());
  window.show();
  if (words[1] == QStringLiteral("-")) {
    window.session().open(sampleRequest("digits_mobilenet", 2));
  } else {
    window.opener().openPath(words[1]);
  }
  while (!window.session().snapshot()) QCoreApplication::processEvents();
  workWithoutEnd(window, words[2].toUInt());
}
