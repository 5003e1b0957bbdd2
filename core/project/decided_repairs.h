#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "training/training_choices.h"

namespace quantscope {

/// A step of a repair and what was decided on it.
struct DecidedStep {
  std::string step;  ///< its name on the command line
  std::string what;  ///< which way of carrying it out, in words
  std::size_t way = 0;
  std::vector<std::string> only = {};  ///< the layers that it may change; empty = all
  bool kept = false;
  std::string reason;
  std::optional<double> gainFitDb = {};  ///< finite
  std::optional<double> gainHeldOutDb = {};

  friend bool operator==(const DecidedStep&, const DecidedStep&) = default;
};

/// What a training has come to, as bytes that are shared by copies; see toBytes(TrainedState).
struct LearnedBytes {
  std::shared_ptr<const std::string> bytes = {};

  friend bool operator==(const LearnedBytes& a, const LearnedBytes& b) {
    return a.bytes == b.bytes || (a.bytes && b.bytes && *a.bytes == *b.bytes);
  }
};

/// A training that was stopped: its checkpoint, shared by copies, from which it goes on.
struct StoppedTraining {
  std::shared_ptr<const std::string> bytes = {};  ///< null = there is none
  TrainingChoices choices = {};                   ///< that it was carried out with

  friend bool operator==(const StoppedTraining& a, const StoppedTraining& b) {
    return LearnedBytes{a.bytes} == LearnedBytes{b.bytes} && a.choices == b.choices;
  }
};

/// The repairs of one configuration, as they were decided last: enough to carry them out again.
struct DecidedRepairs {
  std::string configuration;  ///< a content id, as hexadecimal digits
  double heldOutDb = 0;       ///< of the worst output, with the steps that are kept
  std::vector<DecidedStep> steps = {};
  std::vector<LearnedBytes> learned = {};  ///< by the steps that are kept
  TrainingChoices training = {};           ///< of the step that trains, where it is one of them
  /// Of any configuration.
  StoppedTraining unfinished = {};

  /// Nothing was decided.
  bool empty() const { return steps.empty(); }
  friend bool operator==(const DecidedRepairs&, const DecidedRepairs&) = default;
};

}  // namespace quantscope
