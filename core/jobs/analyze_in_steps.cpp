#include "jobs/analyze_in_steps.h"

#include <algorithm>
#include <utility>

#include "analysis/analyze.h"
#include "jobs/find_faults.h"
#include "jobs/other_thresholds.h"
#include "jobs/quantize_model.h"
#include "jobs/simulate_gains.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {
namespace {

class Steps {
 public:
  Steps(const AnalysisRequest& request, SnapshotPtr previous, JobContext& job,
        const SnapshotSink& publish)
      : m_request(request), m_previous(std::move(previous)), m_job(job), m_publish(publish) {}

  void run() {
    load();
    // Throws where the configuration does not fit the model.
    findObserverGroups(*m_model.engine, m_request.config);
    const bool known = m_previous && m_previous->stage == AnalysisSnapshot::Stage::Complete &&
                       sameData(m_previous->request, m_request);
    if (!known) publishStructure();
    if (m_request.data.empty()) return;

    const std::unique_ptr<SampleSource> data = open(m_request.data, m_request.source);
    const std::unique_ptr<SampleSource> calibration = open(calibrationData(), m_request.source);
    m_synthetic = data->synthetic() || calibration->synthetic();
    m_calibrationText = calibration->description();
    m_samples = data->sampleCount();
    if (known && onlyThresholdsDiffer(*m_previous, m_request)) return publishOtherThresholds(*data);
    if (!m_request.labels.empty())
      m_labels = {readLabels(m_request.labels), m_request.labels.string()};
    if (!known && (m_samples > 1 || calibration->sampleCount() > 1)) publishFirstSample();
    publishAll(*data, *calibration, known);
  }

 private:
  using Stage = AnalysisSnapshot::Stage;

  void load() {
    const bool loaded = m_previous && m_previous->model.file == m_request.model;
    m_model = loaded ? m_previous->model : loadModel(m_request.model, m_job);
  }

  const std::string& calibrationData() const {
    return m_request.calibration.empty() ? m_request.data : m_request.calibration;
  }

  std::unique_ptr<SampleSource> open(const std::string& data, const SourceOptions& options) const {
    return openSamples(data, *m_model.graph, options);
  }

  void publishStructure() {
    CalibratedModel nothing = calibrated({}, m_request.config);
    AnalysisResult result =
        describeLayers(*m_model.engine, m_request.config, nothing.model, nothing.observations);
    publish(Stage::Structure, share(std::move(nothing)), std::move(result));
  }

  // Fewer samples than a configuration asks for are no error while more are to come.
  CalibratedModel calibrated(Observations observations, PrecisionConfig config) const {
    config.calibrationSamples = 0;
    QuantizedModel model = quantizeModel(*m_model.engine, config, observations, &m_job);
    return {std::move(observations), std::move(model)};
  }

  void publishFirstSample() {
    SourceOptions first = m_request.source;
    first.samples = 1;
    const std::unique_ptr<SampleSource> data = open(m_request.data, first);
    const std::unique_ptr<SampleSource> calibration = open(calibrationData(), first);
    PrecisionConfig config = m_request.config;
    config.calibrationSamples = 0;
    const auto preliminary =
        share(calibrateAndQuantize(m_model, config, *calibration, m_request.batch, m_job));
    publish(Stage::Partial, preliminary, measure(*preliminary, *data, {}));
  }

  void publishAll(SampleSource& data, SampleSource& calibration, bool known) {
    const std::shared_ptr<const CalibratedModel> all = share(calibrateOn(calibration, known));
    AnalysisSink soFar;
    if (!known)
      soFar = [&](AnalysisResult&& result) { publish(Stage::Partial, all, std::move(result)); };
    simulateSuggestions(publish(Stage::Complete, all, measure(*all, data, soFar)), data);
  }

  // Only what the detectors make of the same figures is new.
  void publishOtherThresholds(SampleSource& data) {
    const SnapshotPtr snapshot = withThresholds(m_previous, m_request);
    if (snapshot != m_previous) m_publish(snapshot);
    simulateSuggestions(snapshot, data);
  }

  // What the suggestions gain comes last: it takes a run of the network each.
  void simulateSuggestions(const SnapshotPtr& snapshot, SampleSource& data) {
    const auto publishReport = [&](const DetectorReport& report) {
      auto simulated = std::make_shared<AnalysisSnapshot>(*snapshot);
      simulated->detected = std::make_shared<const DetectorReport>(report);
      m_publish(std::move(simulated));
    };
    DetectorReport report = *snapshot->detected;
    simulateGains(m_model, m_request.config, *snapshot->quantized, *snapshot->observations,
                  *snapshot->result, data, m_job, report, publishReport);
    if (saysMore(report, *snapshot->detected)) publishReport(report);
  }

  static bool saysMore(const DetectorReport& report, const DetectorReport& before) {
    return report.findings.size() > before.findings.size() ||
           std::ranges::any_of(report.findings, [](const Finding& finding) {
             return finding.suggestion && finding.suggestion->gainDb;
           });
  }

  CalibratedModel calibrateOn(SampleSource& calibration, bool known) {
    const bool reusable =
        known && observationSettings(m_previous->request.config, m_request.batch) ==
                     observationSettings(m_request.config, m_request.batch);
    if (!reusable) {
      return calibrateAndQuantize(m_model, m_request.config, calibration, m_request.batch, m_job);
    }
    return {*m_previous->observations,
            quantizeModel(*m_model.engine, m_request.config, *m_previous->observations, &m_job)};
  }

  AnalysisResult measure(const CalibratedModel& model, SampleSource& data,
                         const AnalysisSink& soFar) {
    return analyze(*m_model.engine, m_request.config, model.model, model.observations, data,
                   m_labels, m_job, soFar);
  }

  static std::shared_ptr<const CalibratedModel> share(CalibratedModel&& model) {
    return std::make_shared<const CalibratedModel>(std::move(model));
  }

  SnapshotPtr publish(Stage stage, const std::shared_ptr<const CalibratedModel>& calibrated,
                      AnalysisResult&& result) {
    result.model = m_model.file.filename().string();
    result.calibrationData = m_calibrationText;
    result.synthetic = m_synthetic;
    auto snapshot = std::make_shared<AnalysisSnapshot>();
    snapshot->stage = stage;
    snapshot->request = m_request;
    snapshot->model = m_model;
    snapshot->observations = {calibrated, &calibrated->observations};
    snapshot->quantized = {calibrated, &calibrated->model};
    snapshot->result = std::make_shared<const AnalysisResult>(std::move(result));
    if (stage != Stage::Structure) snapshot->detected = detect(*snapshot);
    snapshot->samplesWanted = m_samples;
    m_publish(snapshot);
    return snapshot;
  }

  std::shared_ptr<const DetectorReport> detect(const AnalysisSnapshot& snapshot) const {
    return std::make_shared<const DetectorReport>(
        findFaults(m_model, m_request.config, *snapshot.quantized, *snapshot.observations,
                   *snapshot.result, DetectorMode::Quantscope));
  }

  const AnalysisRequest& m_request;
  SnapshotPtr m_previous;
  JobContext& m_job;
  const SnapshotSink& m_publish;
  LoadedModel m_model;
  Labels m_labels;
  std::string m_calibrationText;
  bool m_synthetic = false;
  std::size_t m_samples = 0;
};

}  // namespace

bool sameData(const AnalysisRequest& a, const AnalysisRequest& b) {
  return a.model == b.model && a.data == b.data && a.calibration == b.calibration &&
         a.labels == b.labels && a.source == b.source && a.batch == b.batch;
}

void analyzeInSteps(const AnalysisRequest& request, const SnapshotPtr& previous, JobContext& job,
                    const SnapshotSink& publish) {
  Steps(request, previous, job, publish).run();
}

}  // namespace quantscope
