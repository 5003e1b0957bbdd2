#pragma once

#include <string>
#include <vector>

#include "analysis/analysis_memory.h"
#include "analysis/analyze.h"
#include "analysis/errors/output_errors.h"
#include "calibration/sample_set.h"
#include "engine/evaluation/evaluator.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The samples of a repair, by their use.
struct RepairSamples {
  SampleSet& fit;      ///< samples that steps are fitted to
  SampleSet& heldOut;  ///< samples that judge the steps
};

/// The outputs of a quantized model against those of the float model that was given.
struct MeasuredOutputs {
  std::vector<OutputResult> fit;
  std::vector<OutputResult> heldOut;
};

/// The SQNR of the worst output, within ±150 dB: beyond that there is only rounding of float
/// results. 150 where there is nothing to compare.
double worstDecibels(const std::vector<OutputResult>& outputs);

/// The effect of a step on the outputs, in dB of the worst one; positive = better.
struct StepGain {
  double fitDb = 0;
  double heldOutDb = 0;
  double standardError = 0;  ///< of the mean of the paired gains of the held-out samples
  std::string refusal;       ///< why the step does not stay; empty = it stays
};

/// Throws UnsupportedOperation where no output gives a figure: then every step would run in vain.
void requireFigures(const MeasuredOutputs& outputs);

/// What a step gains at least, in dB; a way of it with inserted operators gains as much more.
inline constexpr double kLeastStepGain = 0.1;

/// The held-out test: the worst output gains at least 0.1 dB and more than two standard errors of
/// the mean of its samples' gains, no output loses more than 0.1 dB or its figure, and the KL
/// divergence of class scores rises by no more than 2 %. Nor may the samples that it is fitted to
/// lose 0.1 dB.
StepGain judgeStep(const MeasuredOutputs& before, const MeasuredOutputs& after);

/// Which output loses more than 0.1 dB or its figure, or has a KL divergence more than 2 % higher,
/// in words; empty where none does.
std::string lostOutput(const std::vector<OutputResult>& before,
                       const std::vector<OutputResult>& after);

/// The same of what small losses of several steps add up to since the start; empty where it was
/// lost before this one.
std::string lostSinceStart(const std::vector<OutputResult>& start,
                           const std::vector<OutputResult>& before,
                           const std::vector<OutputResult>& after);

/// A model under repair and the samples that judge it.
struct JudgedModel {
  const Engine& engine;
  const QuantizedModel& model;
  RepairSamples samples;
};

/// Runs models under repair against the outputs of the one that was given.
class OutputJudge {
 public:
  /// All must outlive it.
  OutputJudge(const Engine& original, const Labels& labels, AnalysisMemory& memory);

  /// All of `folds` together, each on its own samples. Bit-identical for any number of threads.
  /// Throws Cancelled.
  MeasuredOutputs measure(const std::vector<JudgedModel>& folds, const std::string& stage,
                          JobContext& job);
  /// The same on other samples.
  std::vector<OutputResult> measureAll(const Engine& engine, const QuantizedModel& model,
                                       SampleSet& samples, JobContext& job);

 private:
  std::vector<OutputErrors> emptyErrors() const;
  void run(const Engine& engine, const QuantizedModel& model, SampleSet& samples,
           const std::string& stage, std::vector<OutputErrors>& errors, JobContext& job);

  const Engine& m_original;
  const Labels& m_labels;
  AnalysisMemory& m_memory;
  std::vector<ValueId> m_outputs;
  Evaluator m_reference;
  ValueKeys m_referenceKeys;
};

}  // namespace quantscope
