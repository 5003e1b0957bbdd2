#pragma once

#include <QString>

namespace quantscope {

/// How far something is that is measured in the background.
struct RunStatus {
  bool running = false;
  QString words;  ///< what it does, how far it is, or why it ended; one sentence at most
  bool failed = false;
};

}  // namespace quantscope
