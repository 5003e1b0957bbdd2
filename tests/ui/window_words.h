#pragma once

#include <QString>

#include "ui/workbench.h"

namespace quantscope::test {

/// All that a window shows of its work, as text: the figures, every table and list with the
/// findings, the history, what can be undone, what is selected and in front.
QString wordsOf(const Workbench& window);

}  // namespace quantscope::test
