#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// One figure of the whole model.
struct HeadlineItem {
  enum class Tone { Plain, Notice, Warning };

  QString caption = {};     ///< "output SQNR"; empty where the value speaks for itself
  QString value = {};       ///< with its unit
  QString definition = {};  ///< what it is and what is good; with the exact figures
  Tone tone = Tone::Plain;
  std::optional<double> sqnrDb = {};  ///< gives it a colour chip

  /// "output SQNR 17.4 dB"
  QString text() const;
};

/// What a snapshot says of the model as a whole; empty without one. `stale`: it was not computed
/// from what is asked for now.
std::vector<HeadlineItem> headlineItems(const SnapshotPtr& snapshot, bool stale);

/// The items as lines of text.
QString headlineText(const std::vector<HeadlineItem>& items);

}  // namespace quantscope
