#include "jobs/analysis/run_analysis.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "calibration/calibrate.h"
#include "jobs/analysis/explain_errors.h"
#include "jobs/analysis/find_faults.h"
#include "jobs/analysis/first_effects.h"
#include "jobs/analysis/side_files.h"
#include "jobs/analysis/simulate_gains.h"
#include "jobs/quantize_model.h"

namespace quantscope {
namespace {

using Stage = AnalysisSnapshot::Stage;

constexpr std::size_t kAllFeeds = std::numeric_limits<std::size_t>::max();

const std::string kIdleAxis = "'detectors.channel_axis' has no effect: ";

using Clock = std::chrono::steady_clock;
// Minimum time between published gains: gains that are known from before come all at once.
constexpr std::chrono::milliseconds kGainPace{60};

Configuration withoutLeastSamples(Configuration config) {
  config.precision.edit([](PrecisionConfig& precision) { precision.calibrationSamples = 0; });
  return config;
}

class Run {
 public:
  Run(const OpenedAnalysis& opened, SnapshotPtr previous, AnalysisMemory& memory, JobContext& job,
      const SnapshotSink& publish, std::span<const SnapshotPtr> seen)
      : m_opened(opened),
        m_request(opened.request),
        m_engine(*opened.model.engine),
        m_previous(std::move(previous)),
        m_memory(memory),
        m_job(job),
        m_publish(publish),
        m_seen(seen),
        m_settings(observationSettings(m_request.config, m_request.batch, m_request.detectors)),
        m_sideFiles(sideFilesOf(opened)) {}

  SnapshotPtr run() {
    if (const AnalysisSnapshot* measured = measuredBefore()) return again(*measured);
    const bool known = isOfSameFiles(m_previous);
    const bool preliminary = m_publish && !known;
    const bool several = m_opened.data->feedCount() > 1 || m_opened.calibration->feedCount() > 1;
    if (preliminary && several) publishFirst();
    quantize();
    if (m_publish && known && m_quantized != m_previous->quantized) publishEdit();
    AnalysisSink soFar;
    if (preliminary) {
      soFar = [this](AnalysisResult&& result) {
        show(snapshot(Stage::Partial, std::move(result)));
      };
    }
    AnalysisResult result = measure(soFar);
    // Feeds that were read before and after a change of the files must not stand in one result.
    requireUnchangedSamples();
    if (m_publish) show(snapshot(Stage::Complete, AnalysisResult(result)));
    return finish(std::move(result));
  }

 private:
  void show(const SnapshotPtr& snapshot) const {
    if (m_publish) m_publish(snapshot);
  }

  // True if `other` is complete for the same samples, labels and backend.
  bool isOfSameFiles(const SnapshotPtr& other) const {
    return other && other->stage == Stage::Complete && other->data == m_opened.data &&
           other->calibration == m_opened.calibration && sameData(other->request, m_request) &&
           other->sideFiles == m_sideFiles;
  }

  void requireUnchangedSamples() const {
    m_opened.data->requireUnchanged();
    if (m_opened.calibration != m_opened.data) m_opened.calibration->requireUnchanged();
  }

  SnapshotPtr finish(AnalysisResult&& result) {
    explainWorst(m_engine, *m_quantized, *m_opened.data, m_memory, m_job, result);
    const SnapshotPtr complete = snapshot(Stage::Complete, std::move(result));
    show(complete);
    return withGains(complete);
  }

  // An earlier complete result for the current samples and configuration; nullptr if none.
  const AnalysisSnapshot* measuredBefore() const {
    for (const SnapshotPtr& seen : m_seen) {
      if (!isOfSameFiles(seen) || seen->model.engine != m_opened.model.engine) continue;
      Configuration same = m_request.config;
      same.detectors = seen->request.config.detectors;
      if (seen->request.config == same && settingsOf(seen->request) == m_settings) {
        return seen.get();
      }
    }
    return nullptr;
  }

  SnapshotPtr again(const AnalysisSnapshot& measured) {
    m_observations = measured.observations;
    m_quantized = measured.quantized;
    auto complete = std::make_shared<AnalysisSnapshot>(measured);
    complete->request = m_request;
    if (measured.request.config != m_request.config ||
        measured.request.detectors != m_request.detectors) {
      complete->detected = detect(*complete->result);
      complete->gainsKnown = false;
      std::vector<std::string> notices = complete->result->notices;
      noteIdleAxis(notices);
      if (notices != complete->result->notices) {
        AnalysisResult result = *complete->result;
        result.notices = std::move(notices);
        complete->result = std::make_shared<const AnalysisResult>(std::move(result));
      }
    }
    show(complete);
    if (complete->gainsKnown) return complete;
    // Completes an analysis that was stopped before its end.
    return measured.gainsKnown ? withGains(complete) : finish(AnalysisResult(*complete->result));
  }

  // Fewer samples than a configuration asks for are no error while more are to come.
  void publishFirst() {
    const Configuration config = withoutLeastSamples(m_request.config);
    m_observations = std::make_shared<Observations>(
        calibrate(m_engine, *m_opened.calibration, m_settings, m_job, 1, kept()));
    m_quantized = quantizeModel(m_engine, config, *m_observations, m_memory.parameters, &m_job);
    AnalysisResult result = analyze(m_engine, m_request.config, *m_quantized, *m_observations,
                                    *m_opened.data, {}, m_memory, m_job, {}, 1);
    show(snapshot(Stage::Partial, std::move(result)));
  }

  void publishEdit() const {
    FirstEffects effects(m_opened, *m_previous, *m_quantized, *m_observations, m_memory, m_job);
    // If everything was measured before, the complete result comes as fast.
    if (!effects.any() || effects.allMeasured()) return;
    using Edited = AnalysisSnapshot::Edited;
    if (effects.hasOwnErrors()) show(edited(Edited::OwnErrors, effects.withOwnErrors()));
    show(edited(Edited::FirstOutputs, effects.withFirstOutputs()));
  }

  // Keeps the previous report of the detectors: a new one takes longer than the figures.
  SnapshotPtr edited(AnalysisSnapshot::Edited what, AnalysisResult&& result) const {
    auto snapshot = std::make_shared<AnalysisSnapshot>(*m_previous);
    snapshot->stage = Stage::Partial;
    snapshot->edited = what;
    snapshot->request = m_request;
    snapshot->observations = m_observations;
    snapshot->quantized = m_quantized;
    snapshot->result = std::make_shared<const AnalysisResult>(std::move(result));
    return snapshot;
  }

  // If the samples of both are the same, the values for the float run of the analysis are kept.
  KeptActivations kept() const {
    if (m_opened.calibration != m_opened.data) return {};
    return {&m_memory.activations, valuesToAnalyze(m_engine, *m_request.config.precision)};
  }

  void quantize() {
    const bool calibrated =
        m_previous && m_previous->observations != nullptr &&
        m_previous->calibration == m_opened.calibration && m_opened.calibration != nullptr &&
        m_previous->stage == Stage::Complete && settingsOf(m_previous->request) == m_settings;
    if (calibrated) {
      m_observations = m_previous->observations;
    } else {
      m_observations = std::make_shared<Observations>(
          calibrate(m_engine, *m_opened.calibration, m_settings, m_job, kAllFeeds, kept()));
    }
    Configuration same = m_request.config;
    if (calibrated) same.detectors = m_previous->request.config.detectors;
    if (calibrated && same == m_previous->request.config && m_previous->sideFiles == m_sideFiles) {
      m_quantized = m_previous->quantized;
    } else {
      m_quantized =
          quantizeModel(m_engine, m_request.config, *m_observations, m_memory.parameters, &m_job);
    }
  }

  static ObservationSettings settingsOf(const AnalysisRequest& request) {
    return observationSettings(request.config, request.batch, request.detectors);
  }

  AnalysisResult measure(const AnalysisSink& soFar) {
    return analyze(m_engine, m_request.config, *m_quantized, *m_observations, *m_opened.data,
                   m_opened.labels, m_memory, m_job, soFar);
  }

  SnapshotPtr snapshot(Stage stage, AnalysisResult&& result) const {
    result.model = m_opened.model.file.filename().string();
    result.calibrationData = m_opened.calibration->description();
    result.synthetic = m_opened.data->synthetic() || m_opened.calibration->synthetic();
    noteIdleAxis(result.notices);
    auto snapshot = std::make_shared<AnalysisSnapshot>();
    snapshot->stage = stage;
    snapshot->request = m_request;
    snapshot->model = m_opened.model;
    snapshot->data = m_opened.data;
    snapshot->calibration = m_opened.calibration;
    snapshot->sideFiles = m_sideFiles;
    snapshot->observations = m_observations;
    snapshot->quantized = m_quantized;
    snapshot->samplesWanted = m_opened.data->sampleCount();
    snapshot->detected = detect(result);
    snapshot->result = std::make_shared<const AnalysisResult>(std::move(result));
    return snapshot;
  }

  void noteIdleAxis(std::vector<std::string>& notices) const {
    // A result that was seen before has that of its own detectors.
    std::erase_if(notices, [](const std::string& each) { return each.starts_with(kIdleAxis); });
    const std::string why = idleAxis();
    if (!why.empty()) notices.push_back(kIdleAxis + why);
  }

  // PyTorch's detectors look at channels along an axis that all values have alike.
  std::string idleAxis() const {
    const int axis = m_request.config.detectors->channelAxis;
    if (m_request.detectors != DetectorMode::PyTorch) {
      return axis == DetectorThresholds().channelAxis ? ""
                                                      : "only PyTorch's detectors look along it";
    }
    const auto hasAxis = [&](const std::optional<Observation>& observation) {
      return observation && observation->modelReport(axis) != nullptr;
    };
    if (m_observations->observedCount() == 0 ||
        std::ranges::any_of(m_observations->byValue(), hasAxis)) {
      return "";
    }
    return "no value has an axis " + std::to_string(axis) +
           ", so that there are no figures by channel";
  }

  std::shared_ptr<const DetectorReport> detect(const AnalysisResult& result) const {
    return std::make_shared<const DetectorReport>(findFaults(m_opened.model, m_request.config,
                                                             *m_quantized, *m_observations, result,
                                                             m_request.detectors));
  }

  // The gains of suggestions come last: each takes a part of a run.
  SnapshotPtr withGains(const SnapshotPtr& complete) {
    const auto withReport = [&](const DetectorReport& report) {
      auto simulated = std::make_shared<AnalysisSnapshot>(*complete);
      simulated->detected = std::make_shared<const DetectorReport>(report);
      return simulated;
    };
    GainSink soFar;
    if (m_publish) {
      soFar = [&, last = Clock::now()](const DetectorReport& report) mutable {
        if (Clock::now() - last < kGainPace) return;
        show(withReport(report));
        last = Clock::now();
      };
    }
    DetectorReport report = *complete->detected;
    simulateGains(m_opened.model, m_request.config, *m_quantized, *m_observations,
                  *complete->result, *m_opened.data, m_memory, m_job, report, soFar);
    const auto last = withReport(report);
    last->gainsKnown = true;
    show(last);
    return last;
  }

  const OpenedAnalysis& m_opened;
  const AnalysisRequest& m_request;
  const Engine& m_engine;
  SnapshotPtr m_previous;
  AnalysisMemory& m_memory;
  JobContext& m_job;
  const SnapshotSink& m_publish;
  std::span<const SnapshotPtr> m_seen;
  ObservationSettings m_settings;
  SideFiles m_sideFiles;
  std::shared_ptr<const Observations> m_observations;
  std::shared_ptr<const QuantizedModel> m_quantized;
};

}  // namespace

SnapshotPtr runAnalysis(const OpenedAnalysis& opened, const SnapshotPtr& previous,
                        AnalysisMemory& memory, JobContext& job, const SnapshotSink& publish,
                        std::span<const SnapshotPtr> seen) {
  return Run(opened, previous, memory, job, publish, seen).run();
}

SnapshotPtr describeStructure(const AnalysisRequest& request, const LoadedModel& model,
                              JobContext& job) {
  auto snapshot = std::make_shared<AnalysisSnapshot>();
  snapshot->request = request;
  snapshot->model = model;
  snapshot->observations = std::make_shared<const Observations>();
  const Configuration config = withoutLeastSamples(request.config);
  snapshot->quantized = std::make_shared<const QuantizedModel>(
      quantizeModel(*model.engine, config, *snapshot->observations, &job));
  AnalysisResult result =
      describeLayers(*model.engine, request.config, *snapshot->quantized, *snapshot->observations);
  result.model = model.file.filename().string();
  snapshot->result = std::make_shared<const AnalysisResult>(std::move(result));
  return snapshot;
}

}  // namespace quantscope
