#pragma once

#include <map>
#include <optional>
#include <string>

#include "precision/edits/config_edit.h"
#include "project/decided_repairs.h"
#include "project/document_files.h"

namespace quantscope {

/// Puts a finding aside, or brings it back.
struct Dismissal {
  std::string finding;  ///< its id
  bool dismissed = true;

  friend bool operator==(const Dismissal&, const Dismissal&) = default;
};

/// Gives configurations names, and removes names; may change the configuration with it, as swapping
/// A and B does. Holds both sides of the names in full, so that it can be undone at any place in a
/// journal.
struct Naming {
  /// Configuration by name; nullopt = the name is not used.
  using Names = std::map<std::string, std::optional<Configuration>>;

  std::string sentence;  ///< "rename first to second"
  Names before;
  Names after;
  ConfigEdit change = {};

  friend bool operator==(const Naming&, const Naming&) = default;
};

/// The samples that are looked at.
struct ChosenData {
  std::string data = {};         ///< as FileReference::path; empty = none
  std::string calibration = {};  ///< likewise; empty = `data`
  std::string labels = {};
  AnalysisSettings settings = {};

  friend bool operator==(const ChosenData&, const ChosenData&) = default;
};

/// Other samples, or others of their settings. Holds both sides in full, as Naming does.
struct DataChoice {
  std::string sentence;  ///< "use faces.npz as data"
  ChosenData before;
  ChosenData after;

  friend bool operator==(const DataChoice&, const DataChoice&) = default;
};

/// Other repairs. The checkpoint of a training is not one of them: it stays.
struct RepairDecision {
  std::string sentence;  ///< "drop the repair equalize"
  DecidedRepairs after;

  friend bool operator==(const RepairDecision&, const RepairDecision&) = default;
};

}  // namespace quantscope
