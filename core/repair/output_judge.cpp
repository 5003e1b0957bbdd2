#include "repair/output_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/errors/worst_output.h"
#include "analysis/twin_setup.h"
#include "base/error.h"
#include "calibration/feed_loop.h"
#include "engine/evaluation/evaluation.h"

namespace quantscope {
namespace {

constexpr double kMostLoss = 0.1;     // dB, of any output
constexpr double kSignificance = 2;   // standard errors
constexpr double kMostKlRise = 1.02;  // factor
// Beyond this an output counts as exact: rounding of float results.
constexpr double kExact = 150;
// A sample that is this many dB better than all together adds less than a tenth to their error: its
// exact figure is irrelevant. Where class scores are rounded coarsely, some samples are exact.
constexpr double kSampleRange = 10;

double decibels(const std::optional<double>& sqnr) {
  return sqnr ? std::clamp(*sqnr, -kExact, kExact) : kExact;
}

// The standard error of the mean of the samples' gains: infinite for a single sample, 0 where there
// are none.
double standardError(const OutputResult& before, const OutputResult& after) {
  const double most =
      std::max(decibels(before.error.sqnrDb), decibels(after.error.sqnrDb)) + kSampleRange;
  const auto limited = [most](double sample) { return std::min(decibels(sample), most); };
  std::vector<double> gains;
  double mean = 0;
  for (std::size_t i = 0; i < before.sampleSqnrDb.size() && i < after.sampleSqnrDb.size(); ++i) {
    const double gain = limited(after.sampleSqnrDb[i]) - limited(before.sampleSqnrDb[i]);
    if (std::isnan(gain)) continue;
    gains.push_back(gain);
    mean += gain;
  }
  if (gains.size() == 1) return std::numeric_limits<double>::infinity();
  if (gains.empty()) return 0;
  const auto count = static_cast<double>(gains.size());
  mean /= count;
  double squares = 0;
  for (const double gain : gains) squares += (gain - mean) * (gain - mean);
  return std::sqrt(squares / (count - 1) / count);
}

// Some of its samples are infinitely wrong.
bool isSpoilt(const OutputResult& output) {
  return output.error.sqnrDb && std::isinf(*output.error.sqnrDb) && *output.error.sqnrDb < 0;
}

std::vector<OutputResult> resultsOf(const std::vector<OutputErrors>& errors) {
  std::vector<OutputResult> results;
  for (const OutputErrors& each : errors) results.push_back(each.result());
  return results;
}

}  // namespace

double worstDecibels(const std::vector<OutputResult>& outputs) {
  return decibels(worstOutputSqnr(outputs));
}

void requireFigures(const MeasuredOutputs& outputs) {
  if (worstOutput(outputs.heldOut) != nullptr) return;
  throw Error(ErrorCode::UnsupportedOperation,
              "no output of the model gives a figure to judge repairs by", {},
              "if it ends in integers, as of ArgMax, end it before them");
}

StepGain judgeStep(const MeasuredOutputs& before, const MeasuredOutputs& after) {
  StepGain gain;
  gain.fitDb = worstDecibels(after.fit) - worstDecibels(before.fit);
  gain.heldOutDb = worstDecibels(after.heldOut) - worstDecibels(before.heldOut);
  const OutputResult* worst = worstOutput(before.heldOut);
  if (worst == nullptr) {
    gain.refusal = "there is no output to judge it by";
    return gain;
  }
  const auto index = static_cast<std::size_t>(worst - before.heldOut.data());
  gain.standardError = standardError(*worst, after.heldOut[index]);
  if (isSpoilt(*worst) && isSpoilt(after.heldOut[index])) {
    gain.refusal = "it leaves held-out samples for which quantization makes '" + worst->value +
                   "' infinite or changes its shape";
  } else if (!(gain.heldOutDb >= kLeastStepGain)) {
    gain.refusal = "it gains less than 0.1 dB on held-out samples";
  } else if (!(gain.heldOutDb > kSignificance * gain.standardError)) {
    gain.refusal = "its gain is within two standard errors of the held-out samples";
  } else if (gain.fitDb < -kMostLoss) {
    gain.refusal = "it loses more than 0.1 dB on the samples that it is fitted to";
  } else {
    gain.refusal = lostOutput(before.heldOut, after.heldOut);
  }
  return gain;
}

std::string lostOutput(const std::vector<OutputResult>& before,
                       const std::vector<OutputResult>& after) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].error.sqnrDb && !after[i].error.sqnrDb) {
      return "output '" + before[i].value + "' has no figure to judge it by any more";
    }
    const double loss = decibels(before[i].error.sqnrDb) - decibels(after[i].error.sqnrDb);
    if (loss > kMostLoss) return "output '" + before[i].value + "' loses more than 0.1 dB";
    if (before[i].kl && after[i].kl && *after[i].kl > kMostKlRise * *before[i].kl + 1e-9) {
      return "the KL divergence of '" + before[i].value + "' rises by more than 2 %";
    }
  }
  return {};
}

std::string lostSinceStart(const std::vector<OutputResult>& start,
                           const std::vector<OutputResult>& before,
                           const std::vector<OutputResult>& after) {
  if (!lostOutput(start, before).empty()) return {};
  const std::string lost = lostOutput(start, after);
  return lost.empty() ? lost : "against the start, " + lost;
}

OutputJudge::OutputJudge(const Engine& original, const Labels& labels, AnalysisMemory& memory)
    : m_original(original),
      m_labels(labels),
      m_memory(memory),
      m_outputs(original.graph().outputs().begin(), original.graph().outputs().end()),
      m_reference(original, memory.activations),
      m_referenceKeys(original, nullptr) {}

MeasuredOutputs OutputJudge::measure(const std::vector<JudgedModel>& folds,
                                     const std::string& stage, JobContext& job) {
  std::vector<OutputErrors> fit = emptyErrors();
  std::vector<OutputErrors> heldOut = emptyErrors();
  for (const JudgedModel& fold : folds) {
    run(fold.engine, fold.model, fold.samples.fit, stage, fit, job);
    run(fold.engine, fold.model, fold.samples.heldOut, stage, heldOut, job);
  }
  return {resultsOf(fit), resultsOf(heldOut)};
}

std::vector<OutputResult> OutputJudge::measureAll(const Engine& engine, const QuantizedModel& model,
                                                  SampleSet& samples, JobContext& job) {
  std::vector<OutputErrors> errors = emptyErrors();
  run(engine, model, samples, "All samples", errors, job);
  requireLabelledOutput(errors, m_labels);
  return resultsOf(errors);
}

std::vector<OutputErrors> OutputJudge::emptyErrors() const {
  std::vector<OutputErrors> errors;
  for (const ValueId output : m_outputs) {
    errors.emplace_back(m_original.graph(), output, m_labels.classes);
  }
  return errors;
}

void OutputJudge::run(const Engine& engine, const QuantizedModel& model, SampleSet& samples,
                      const std::string& stage, std::vector<OutputErrors>& errors,
                      JobContext& job) {
  const Evaluator evaluator(engine, m_memory.activations);
  const Graph& graph = m_original.graph();
  const ValueKeys keys(engine, &model.applied);
  std::vector<ContentId> recordKeys;
  for (const ValueId output : m_outputs) {
    recordKeys.push_back(outputRecordKey(m_referenceKeys[output], keys[output]));
  }
  using Records = std::vector<std::shared_ptr<const OutputRecord>>;
  const auto compute = [&](const Feed& feed) {
    Records records;
    for (const ContentId key : recordKeys) {
      records.push_back(m_memory.errors.find<OutputRecord>(combined({feed.content, key})));
    }
    if (std::ranges::find(records, nullptr) == records.end()) return records;
    const SampleInputs sample{feed.content, feed.inputs, feed.batch};
    Evaluation reference(m_reference, sample, m_referenceKeys, nullptr, m_outputs,
                         Evaluation::Keep::InCache);
    reference.run(job);
    Evaluation quantized(evaluator, sample, keys, &model.applied, m_outputs,
                         Evaluation::Keep::Nowhere);
    quantized.run(job);
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
      records[i] = m_memory.errors.insert(
          combined({feed.content, recordKeys[i]}),
          measureOutput(tensorOf(reference.find(m_outputs[i]), Layout::Plain),
                        tensorOf(quantized.find(m_outputs[i]), Layout::Plain), feed.batch,
                        feed.samples, comesFromSoftmax(graph, m_outputs[i])));
    }
    return records;
  };
  job.beginStage(stage, samples.sampleCount(), "samples");
  forEachFeed(samples, job, compute, [&](const Feed& feed, const Records& records) {
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
      errors[i].add(*records[i], feed.firstSample);
    }
  });
}

}  // namespace quantscope
