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
  QString definition = {};  ///< meaning, and which values are good; with the exact figures
  Tone tone = Tone::Plain;
  std::optional<double> sqnrDb = {};  ///< gives it a colour chip
  QString change = {};                ///< "+30.9", against what it is compared with
  int better = 0;                     ///< of the change: 1 = better, −1 = worse

  /// "▲ +30.9"; empty where nothing changed.
  QString changeText() const;
  /// "output SQNR 37.1 dB ▲ +30.9"
  QString text() const;

  friend bool operator==(const HeadlineItem&, const HeadlineItem&) = default;
};

/// The figures to compare with, and what explains them.
struct HeadlineReference {
  SnapshotPtr snapshot = {};                  ///< null: nothing
  QString name = {};                          ///< "the state before"
  std::vector<LadderStep> ladder = {};        ///< empty while it is not known
  std::optional<std::size_t> overrides = {};  ///< as they are listed; none: all entries count
};

/// The figures of a snapshot for the model as a whole; empty without one. `stale`: they do not
/// belong to the current request.
std::vector<HeadlineItem> headlineItems(const SnapshotPtr& snapshot, bool stale,
                                        const HeadlineReference& reference = {});

/// The items as lines of text.
QString headlineText(const std::vector<HeadlineItem>& items);

}  // namespace quantscope
