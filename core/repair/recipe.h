#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analyze.h"
#include "repair/output_judge.h"
#include "repair/repair_state.h"
#include "repair/repair_step.h"

namespace quantscope {

/// A step that somebody has decided on.
struct GivenStep {
  RepairStep step;
  std::size_t way = 0;
  std::vector<std::string> only = {};  ///< see RepairRequest
};

class RepairCourse;
struct MeasuredState;

inline constexpr const char* kNoMemoryForIt = "there was not enough memory for it";

/// The layers and steps of a repair, and its limits.
struct RepairRequest {
  /// Run first, in this order, and stay whatever held-out samples say of them.
  std::vector<GivenStep> given = {};
  std::vector<RepairStep> steps = repairSteps();  ///< in the order in which they run
  /// Nodes that lead layers: only these change. A step that works on several layers at once
  /// changes those where all of them are named. Empty: all layers.
  std::vector<std::string> only = {};
  /// Time limit of the steps, without those that are given; the gains so far are kept. A step that
  /// takes too much of the remaining time does not try all of its ways.
  std::optional<double> seconds;
  /// Ends the steps likewise; see TimeLimit.
  std::function<bool()> stop = {};
  std::size_t batch = 1;  ///< samples per calibration batch
  /// Earlier results of the same model, configuration and samples: given steps that ran there
  /// first, in the same order, do not run again.
  std::vector<std::shared_ptr<const RepairCourse>> known = {};

  /// Whether any step can run where no layer has a weight of its own, but some share theirs.
  bool needsNoLayers(bool anyShared) const {
    const auto canRun = [&](const RepairStep& step) {
      return step.wholeModel || (anyShared && step.takesShared);
    };
    return std::ranges::any_of(steps, canRun) ||
           std::ranges::any_of(given, canRun, &GivenStep::step);
  }
};

/// A step that was tried.
struct StepReport {
  std::string step;
  std::string what;                    ///< which way of carrying it out
  std::size_t way = 0;                 ///< its number; see RepairStep::ways
  std::vector<std::string> only = {};  ///< layers that it was to change; see RepairRequest
  std::size_t nodes = 0;
  std::size_t inserted = 0;
  double bytes = 0;  ///< of quantized constants, more than before
  /// Of the worst output against the state before, with fitted biases: those of all steps that stay
  /// add up to the way from the start to the end. Of a step that does not stay, against the state
  /// before with biases fitted to that, as it was judged.
  std::optional<double> gainFitDb;
  std::optional<double> gainHeldOutDb;
  /// What fitted biases alone would have gained; held out, where they are part of the gain.
  std::optional<double> gainOfBiasesDb;
  std::optional<double> kl;  ///< of the first output with class scores, held out
  std::optional<double> top1Agreement;
  double seconds = 0;
  bool fittedBiases = false;  ///< fitted after it, since that brings held-out samples closer
  bool kept = false;
  std::string reason;                      ///< why it was kept, or not
  std::vector<RefusedLayer> refused = {};  ///< layers that it left as they were
  std::optional<FittingEnd> end;           ///< of the way that counts
  std::vector<std::string> notes;          ///< of all ways
  std::vector<std::string> remarks;        ///< of the way that counts

  /// Takes over how it went, whatever comes of it.
  void follow(const RepairProposal& proposal);
  /// Takes over what a way that counts has come to. `anyToFit`: there are samples to fit to.
  void describe(const RepairProposal& proposal, std::size_t number, const StepGain& gain,
                const MeasuredState& before, const MeasuredState& after, bool anyToFit);
};

struct RepairResult {
  std::string original;       ///< file of the model that was given; empty where it has none
  ContentId originalContent;  ///< see Engine::content()
  RepairState state;          ///< the model that was given, bit for bit, where no step stays
  std::vector<StepReport> steps;
  std::vector<RefusedLayer> refused;  ///< layers that no step changes
  MeasuredOutputs start;
  MeasuredOutputs end;
  std::vector<OutputResult> startAll;  ///< on all samples
  std::vector<OutputResult> endAll;
  std::size_t fitSamples = 0;
  std::size_t heldOutSamples = 0;
  /// 2: each half is held out once, while steps are fitted to the other; what stays is fitted to
  /// all.
  std::size_t folds = 1;
  /// How frames of recordings are held out; empty where samples are independent.
  std::string recordings;
  bool calibratedApart = false;  ///< ranges are observed on none of the held-out samples
  bool synthetic = false;        ///< the samples are random
  bool outOfTime = false;        ///< the time was over with something left to try
  bool stopped = false;          ///< likewise, because it was asked to stop
  /// Number of unsafe pairs at the end; see unsafePairs().
  std::size_t unsafePairs = 0;
  /// Layers whose weights got larger scales after all steps, since their bias did not fit any more.
  std::size_t raisedScales = 0;
  /// What that gains, mostly less than nothing: with the gains of all steps that stay, the way from
  /// the start to the end.
  std::optional<double> raisedGainFitDb;
  std::optional<double> raisedGainHeldOutDb;
  std::size_t unfitBiases = 0;  ///< elements of integer biases that do not fit at the end
  std::string whyUnfit;         ///< why no larger scales make them fit; may be empty
  /// For another repair of the same model that goes on from here.
  std::shared_ptr<const RepairCourse> course;
};

/// Repairs a quantized model step by step. Each step is fitted to some samples and stays only where
/// the others, which it has not seen, pass judgeStep(); else the state before it is back, bit for
/// bit. In the end steps that are worth less than 0.1 dB beside the others go too, and the whole
/// is never worse than the start. Integer biases that do not fit then get larger scales where that
/// costs at most 0.1 dB. Steps that are given are not tested and do not go.
///
/// `state` is quantized, with `twin` = `engine`. Bit-identical for any number of threads as long as
/// no time is set. Throws UnsupportedOperation where there is no layer and no range to change,
/// InvalidParameters where `only` names something else, or a single sample is to judge steps that
/// are not given, and Cancelled.
RepairResult repairModel(const RepairState& state, SampleSet& data, SampleSet& calibration,
                         const ObservationSettings& settings, const Labels& labels,
                         const RepairRequest& request, AnalysisMemory& memory, JobContext& job);

}  // namespace quantscope
