#pragma once

#include "app/gui/main_window.h"

namespace quantscope::bench {

/// From asking a new window for a project to that window full: graph, tables, findings and figures
/// painted, in milliseconds. The project keeps the complete analysis that `window` shows; it is
/// written into a folder of its own.
double measureReopen(MainWindow& window);

}  // namespace quantscope::bench
