#include "jobs/analysis/analyze_in_steps.h"

#include <utility>

#include "base/memory_budget.h"
#include "calibration/open_sample_set.h"
#include "jobs/request_labels.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {
namespace {

class Opening {
 public:
  Opening(const AnalysisRequest& request, SnapshotPtr previous, JobContext& job)
      : m_request(request), m_previous(std::move(previous)), m_job(job) {}

  LoadedModel model() {
    const bool loaded =
        m_previous && m_previous->model.file == m_request.model && upToDate(m_previous->model);
    if (!loaded) m_previous.reset();
    return loaded ? m_previous->model : loadModel(m_request.model, m_job);
  }

  /// `model`: what model() gave.
  OpenedAnalysis samples(const LoadedModel& model) const {
    OpenedAnalysis opened{m_request, model, nullptr, nullptr, {}};
    const std::string& calibration = calibrationOf(m_request);
    opened.data = open(m_request.data, model);
    opened.calibration = calibration == m_request.data ? opened.data : open(calibration, model);
    opened.labels = labelsOf(m_request);
    return opened;
  }

 private:
  static const std::string& calibrationOf(const AnalysisRequest& request) {
    return request.calibration.empty() ? request.data : request.calibration;
  }

  // Samples that were read before are those of now where the files are the same.
  std::shared_ptr<SampleSet> open(const std::string& data, const LoadedModel& model) const {
    const FileStamp stamp = stampOf(data);
    if (m_previous && m_previous->request.source == m_request.source) {
      for (const auto& known : {m_previous->data, m_previous->calibration}) {
        if (known && known->description() == data && known->stamp() == stamp) return known;
      }
    }
    const std::size_t budget =
        m_job.memoryBudget() == 0 ? defaultMemoryBudget() : m_job.memoryBudget();
    return openSampleSet(data, *model.graph, m_request.source, AnalysisMemory::sampleBytes(budget));
  }

  const AnalysisRequest& m_request;
  SnapshotPtr m_previous;
  JobContext& m_job;
};

}  // namespace

bool sameData(const AnalysisRequest& a, const AnalysisRequest& b) {
  return a.model == b.model && a.data == b.data && a.calibration == b.calibration &&
         a.labels == b.labels && a.source == b.source && a.batch == b.batch;
}

AnalysedFiles analysedFiles(const AnalysisSnapshot& snapshot) {
  const auto stampOfSamples = [](const std::shared_ptr<SampleSet>& samples) {
    return samples ? samples->stamp() : FileStamp();
  };
  return {.model = snapshot.model.engine->content(),
          .data = stampOfSamples(snapshot.data),
          .calibration = stampOfSamples(snapshot.calibration),
          .sideFiles = snapshot.sideFiles};
}

bool areComparable(const AnalysisSnapshot& a, const AnalysisSnapshot& b) {
  const auto ofData = [](const AnalysisSnapshot& snapshot) {
    AnalysedFiles files = analysedFiles(snapshot);
    files.sideFiles.backend = {};  // goes with the configuration
    return files;
  };
  return sameData(a.request, b.request) && ofData(a) == ofData(b);
}

void analyzeInSteps(const AnalysisRequest& request, const SnapshotPtr& previous,
                    AnalysisMemory& memory, JobContext& job, const SnapshotSink& publish,
                    std::span<const SnapshotPtr> seen) {
  Opening opening(request, previous, job);
  const LoadedModel model = opening.model();
  // Throws where the configuration does not fit the model.
  findObserverGroups(*model.engine, *request.config.precision);
  const bool same = previous && previous->stage == AnalysisSnapshot::Stage::Complete &&
                    previous->model.engine == model.engine && sameData(previous->request, request);
  if (!same) publish(describeStructure(request, model, job));
  if (request.data.empty()) return;
  runAnalysis(opening.samples(model), previous, memory, job, publish, seen);
}

OpenedAnalysis openAnalysis(const AnalysisRequest& request, const SnapshotPtr& previous,
                            JobContext& job) {
  Opening opening(request, previous, job);
  return opening.samples(opening.model());
}

}  // namespace quantscope
