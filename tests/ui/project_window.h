#pragma once

#include <QTemporaryDir>

#include "ui/workbench.h"

namespace quantscope::test {

/// Waits until all that windows have told their files is there.
inline void settleFiles(const TestWindow& window) {
  OrderedWork::instance().finish();
  QCoreApplication::processEvents();
  window.settle();
}

/// Saves the work of a window as a project.
inline void saveAs(const TestWindow& window, const QString& file) {
  window.dialogs->project = file;
  window.action(ActionId::SaveProjectAs)->trigger();
  QTRY_COMPARE(window->project().keeper().path(), file);
  settleFiles(window);
}

/// Opens a project, and waits until it is on screen.
inline void openProject(const TestWindow& window, const QString& file) {
  window->opener().openPath(file);
  const auto there = [&] { return window->project().keeper().path() == file; };
  QTRY_VERIFY2(there(), qPrintable(window.messages()));
  window.waitForEnd();
}

/// Sets the worst layer to float, as a user does who has it selected.
inline void setToFloat(const TestWindow& window, NodeId node) {
  window->session().selection().selectNode(node);
  window->session().precision().setType(QuantType::Float32);
  window.waitForEnd();
}

/// The document in a project, read while it may be open elsewhere.
inline Document documentIn(const QString& file) {
  return ProjectFile(file.toStdString(), ProjectFile::Access::Read).document();
}

}  // namespace quantscope::test
