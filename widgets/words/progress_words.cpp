#include "widgets/words/progress_words.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString translated(const char* words) {
  return QCoreApplication::translate("ProgressWords", words);
}

}  // namespace

QString remainingText(std::chrono::duration<double> remaining) {
  const double seconds = remaining.count();
  if (!(seconds >= 0)) return {};
  constexpr double kMinute = 60;
  if (seconds < 2 * kMinute) {
    return translated("%1 s left").arg(std::max(1, static_cast<int>(std::ceil(seconds))));
  }
  return translated("%1 min left").arg(static_cast<qint64>(std::round(seconds / kMinute)));
}

QString progressWords(const Progress& progress) {
  QString words = text(progress.stage);
  if (progress.total > 0) {
    words += translated(": %1 of %2").arg(progress.done).arg(progress.total);
  }
  const bool ended = progress.total > 0 && progress.done >= progress.total;
  const QString remaining = ended ? QString() : remainingText(progress.remaining);
  return remaining.isEmpty() ? words : words + QStringLiteral(", ") + remaining;
}

}  // namespace quantscope
