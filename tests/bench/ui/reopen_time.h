#pragma once

#include "app/gui/window/main_window.h"

namespace quantscope::bench {

/// Milliseconds from opening a project in a new window until graph, tables, findings and figures
/// are painted. The project keeps the complete analysis that `window` shows; it is written into a
/// folder of its own.
double measureReopen(MainWindow& window);

}  // namespace quantscope::bench
