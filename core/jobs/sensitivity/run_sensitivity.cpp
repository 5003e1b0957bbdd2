#include "jobs/sensitivity/run_sensitivity.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "analysis/errors/computable_outputs.h"
#include "analysis/errors/worst_output.h"
#include "analysis/sensitivity/early_ranking.h"
#include "analysis/sensitivity/sensitivity_estimate.h"
#include "analysis/sensitivity/sensitivity_sweep.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "calibration/calibrate.h"
#include "export/json/json_number.h"
#include "export/json/sensitivity_json.h"
#include "jobs/computation_origin.h"
#include "jobs/quantize_model.h"
#include "jobs/sensitivity/sensitivity_file.h"
#include "jobs/sensitivity/sensitivity_identity.h"
#include "jobs/sensitivity/sensitivity_types.h"
#include "jobs/sensitivity/shared_sensitivity.h"
#include "precision/backend/backend_content.h"
#include "search/widening.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

ContentId contentOf(SampleSet& samples, const JobContext& job) {
  ContentHasher hasher;
  hasher.add(std::uint64_t{samples.feedCount()});
  for (std::size_t i = 0; i < samples.feedCount(); ++i) {
    job.throwIfCancelled();
    hasher.add(samples.read(i).content);
  }
  return hasher.id();
}

class Runner {
 public:
  Runner(const LoadedModel& model, const Configuration& config, SampleSet& samples,
         SampleSet& calibration, const Labels& labels, const SensitivityJob& what,
         AnalysisMemory& memory, JobContext& job)
      : m_model(model),
        m_engine(*model.engine),
        m_config(config),
        m_samples(samples),
        m_calibration(calibration),
        m_labels(labels),
        m_what(what),
        m_memory(memory),
        m_job(job) {}

  std::string run() {
    requireComputableOutput(m_engine);
    m_result = startOf(identityOf());
    const Observations observations = observe();
    Sensitivity sensitivity(m_engine, m_config, observations, m_what.request, m_samples, m_labels,
                            m_memory, m_job);
    const TypeChoices choices(m_model.engine, m_config, sensitivity.configured());
    if (m_what.widening) requireWidenable(choices, m_what.widening->type);
    std::vector<std::string> notices = sensitivity.configured()->notices;
    std::ranges::move(simulatedTypes(choices, m_what.request), std::back_inserter(notices));
    for (const std::string& notice : notices) {
      if (m_what.notice) m_what.notice(notice);
    }
    m_result["rows"] = sensitivity.items().size();
    if (m_what.estimate) return runEstimate(sensitivity);
    if (m_result["baseline"].is_null()) {
      m_result["baseline"] = baselineJson(sensitivity.baseline());
    }
    m_baseline = outputsOfJson(m_result["baseline"]);
    for (Json& row : m_result["nodes"]) judgeRow(row, m_baseline);
    m_result["forward_passes"] =
        sensitivity.plannedPasses() * static_cast<double>(m_samples.sampleCount());
    const std::size_t open = measureRows(sensitivity);
    if (!isFirst()) return {};  // rows arrive at the first rank alone
    sortSensitivityRows(m_result["nodes"]);
    keep();
    if (open > 0) {
      const std::size_t done = m_result["nodes"].size();
      return incomplete(std::to_string(done) + " of " + std::to_string(done + open) +
                        " rows are measured");
    }
    if (!m_what.widening) return m_result.dump(1) + "\n";
    try {
      Json widening = wideningOf(choices, observations);
      m_result["widening"] = std::move(widening);
    } catch (const Cancelled&) {
      if (!m_what.keepsFinished) throw;
      return incomplete("all rows are measured, wider layers are not");
    }
    return m_result.dump(1) + "\n";
  }

 private:
  bool isFirst() const { return m_what.ranks == nullptr || m_what.ranks->isFirst(); }

  Observations observe() {
    const ObservationSettings settings = observationSettings(m_config, m_what.batch);
    return m_what.ranks == nullptr
               ? calibrate(m_engine, m_calibration, settings, m_job)
               : calibrateOnOne(m_engine, m_calibration, settings, *m_what.ranks, m_job);
  }

  // How many rows are left.
  std::size_t measureRows(Sensitivity& sensitivity) {
    const std::vector<std::size_t> items = itemsToRun(sensitivity);
    std::size_t open = items.size();
    bool promised = false;
    const auto note = [&](const std::vector<SensitivityRow>& rows) {
      for (const SensitivityRow& row : rows) {
        m_result["nodes"].push_back(sensitivityRowJson(row, m_baseline));
      }
      open -= rows.size();
      keep();
      if (m_what.keepsFinished && !promised) m_what.keepsFinished();
      promised = true;
    };
    if (m_what.ranks != nullptr) {
      // Needs no first ranking: rows are not watched while several processes measure.
      measureTogether(sensitivity, items, m_samples, m_memory, *m_what.ranks, m_job, note);
      return 0;
    }
    try {
      sweepSensitivity(sensitivity, rankEarly(sensitivity, m_samples, items).places, {}, note);
    } catch (const Cancelled&) {
      if (!m_what.keepsFinished || m_result["nodes"].empty()) throw;
    }
    return open;
  }

  std::string incomplete(const std::string& words) {
    m_result["complete"] = false;
    if (m_what.notice) {
      m_what.notice("the result is incomplete: " + words +
                    "; name its file with --resume to go on");
    }
    return m_result.dump(1) + "\n";
  }

  // Uses the rows of the result, since some may come from an earlier run.
  Json wideningOf(const TypeChoices& choices, const Observations& observations) {
    std::vector<SensitivityRow> rows;
    for (const Json& json : m_result["nodes"]) rows.push_back(rankedRowOf(json));
    const WideningJob& asked = *m_what.widening;
    const std::vector<std::size_t> order =
        wideningOrder(rows, m_what.request.around, choices, asked.type);
    if (order.empty()) {
      throw Error(ErrorCode::InvalidParameters,
                  "no row has a figure that tells which layers are the most sensitive", {},
                  "measure other types than the layers have, or leave --widen out");
    }
    for (const std::size_t count : asked.counts) {
      if (count <= order.size()) continue;
      throw Error(ErrorCode::InvalidParameters,
                  std::to_string(count) + " layers cannot be set to " +
                      std::string(name(asked.type)) + ": " + std::to_string(order.size()) + " can",
                  {}, "ask for fewer, or for another type");
    }
    TrialRuns runs(m_engine, m_config, observations, m_samples, m_labels, m_memory, m_job);
    const std::vector<std::size_t> counts =
        asked.counts.empty() ? wideningSteps(order.size()) : asked.counts;
    const WideningCurve curve = measureWidening(choices, order, asked.type, counts, runs, {});
    if (curve.size() < counts.size() && m_what.notice) {
      m_what.notice(std::to_string(counts.size() - curve.size()) + " of " +
                    std::to_string(counts.size()) +
                    " numbers of wider layers are left out: the configuration contradicts itself "
                    "there");
    }
    Json layers = Json::array();
    for (const std::size_t layer : order) layers.push_back(choices.name(layer));
    return wideningJson(asked.type, std::move(layers), merged({}, curve));
  }

  // Estimated rows, of which measured ones take the place.
  std::string runEstimate(Sensitivity& sensitivity) {
    m_baseline = sensitivity.baseline();
    m_result["baseline"] = baselineJson(m_baseline);
    const std::vector<std::size_t> items = itemsToRun(sensitivity);
    std::vector<SensitivityRow> rows = sensitivity.estimate(m_samples, items, *m_what.estimate);
    const std::vector<std::size_t> order = mostSensitiveFirst(rows);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < std::min(m_what.measured, items.size()); ++i) {
      places.push_back(items[order[i]]);
    }
    std::vector<SensitivityRow> measured;
    sweepSensitivity(sensitivity, places, {}, [&](const std::vector<SensitivityRow>& some) {
      measured.insert(measured.end(), some.begin(), some.end());
    });
    const EstimateQuality quality = compareEstimates(rows, measured);
    const std::size_t probes = probesBehind(rows, *m_what.estimate, m_samples.sampleCount());
    m_result["estimate"] = {{"method", "gradients"},
                            {"probes", probes},
                            {"measured", measured.size()},
                            {"spearman", jsonNumber(quality.spearman)},
                            {"median_error_db", jsonNumber(quality.medianErrorDb)}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool isMeasured = i < measured.size();
      Json row = sensitivityRowJson(isMeasured ? measured[i] : rows[order[i]], m_baseline);
      row["estimated"] = !isMeasured;
      if (isMeasured)
        row["estimated_sqnr_db"] = jsonNumber(worstOutputSqnr(rows[order[i]].outputs));
      m_result["nodes"].push_back(std::move(row));
    }
    sortSensitivityRows(m_result["nodes"]);
    return m_result.dump(1) + "\n";
  }

  // Places in `rows`; those without a figure last.
  static std::vector<std::size_t> mostSensitiveFirst(const std::vector<SensitivityRow>& rows) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return worstOutputSqnr(rows[i].outputs).value_or(std::numeric_limits<double>::infinity());
    });
    return order;
  }

  SensitivityIdentity identityOf() {
    m_job.beginStage("Reading samples", 0);
    SensitivityIdentity identity;
    identity.model = m_engine.content();
    ContentHasher data;
    data.add(contentOf(m_samples, m_job)).add(contentOf(m_calibration, m_job));
    // Rows that are kept from now on are of one content, which their identity names.
    m_samples.requireUnchanged();
    m_calibration.requireUnchanged();
    for (const std::int64_t label : m_labels.classes) data.add(static_cast<std::uint64_t>(label));
    identity.data = data.id();
    ContentHasher settings;
    // A backend's own file by its name, wherever it lies.
    settings.add(configurationFor(m_config.precision->backend, m_config).id());
    settings.add(std::uint64_t{m_what.batch});
    for (const QuantType type : m_what.request.types) settings.add(name(type));
    settings.add(static_cast<std::uint64_t>(m_what.request.around));
    settings.add(static_cast<std::uint64_t>(m_what.request.part));
    if (m_what.estimate) {
      settings.add("gradients").add(std::uint64_t{m_what.estimate->probes});
      settings.add(m_what.estimate->seed).add(std::uint64_t{m_what.measured});
    }
    identity.settings = settings.id();
    identity.backend = backendContent(m_config.precision->backend);
    identity.whole = wholeOf(identity);
    identity.origin = figuresOrigin();
    return identity;
  }

  Json startOf(const SensitivityIdentity& identity) const {
    const bool alone = m_what.request.around == SensitivityRequest::Around::Float;
    Json types = Json::array();
    for (const QuantType type : m_what.request.types) types.push_back(name(type));
    Json result{{"sensitivity", kSensitivityVersion}};
    writeIdentity(identity, result);
    result["around"] = alone ? "float" : "config";
    if (m_what.request.part == PrecisionPart::Weights) result["only"] = "weights";
    if (m_what.request.part == PrecisionPart::Activations) result["only"] = "activations";
    result["types"] = std::move(types);
    result["samples"] = m_samples.sampleCount();
    result["synthetic"] = m_samples.synthetic() || m_calibration.synthetic();
    result["rows"] = 0;
    if (m_what.shard) result["shard"] = {m_what.shard->number, m_what.shard->count};
    result["baseline"] = nullptr;
    result["nodes"] = Json::array();
    result["forward_passes"] = nullptr;
    if (!isFirst() || !m_what.resume || !std::filesystem::exists(*m_what.resume)) return result;
    Json before = readSensitivityFile(*m_what.resume);
    std::string difference = differenceOf(before, result);
    if (difference.empty() && before.value("shard", Json()) != result.value("shard", Json())) {
      difference = "of another shard";
    }
    refuseToResume(difference, "name another file for --resume, or remove it");
    refuseToResume(otherOrigin(before, result), kSameOriginRemedy);
    // Nothing else: a curve of widening is of the run before.
    for (const char* key : {"baseline", "nodes"}) result[key] = std::move(before[key]);
    return result;
  }

  void refuseToResume(const std::string& difference, const std::string& remedy) const {
    if (difference.empty()) return;
    throw Error(ErrorCode::InvalidData, "the work to resume is " + difference,
                {.file = m_what.resume->string(), .node = {}, .value = {}}, remedy);
  }

  // Those without a row.
  std::vector<std::size_t> itemsToRun(const Sensitivity& sensitivity) const {
    const Json& rows = m_result["nodes"];
    std::map<SensitivityRowKey, std::size_t> done;  // by place
    for (std::size_t place = 0; place < rows.size(); ++place) done[keyOfRow(rows[place])] = place;
    const Shard shard = m_what.shard.value_or(Shard());
    std::vector<std::size_t> items;
    for (std::size_t i = shard.number - 1; i < sensitivity.items().size(); i += shard.count) {
      const SensitivityItem& item = sensitivity.items()[i];
      const bool known = done.erase({sensitivity.nodeOf(item), std::string(name(item.type))}) > 0;
      if (!known) items.push_back(i);
    }
    if (done.empty()) return items;
    const auto& [key, place] = *done.begin();
    failAtRow(
        *m_what.resume, place,
        "is about '" + key.first + "' in " + key.second + ", which the analysis does not measure",
        "remove the row, or name another file for --resume");
  }

  void keep() const {
    if (m_what.resume && isFirst()) writeFileAtomically(*m_what.resume, m_result.dump(1) + "\n");
  }

  const LoadedModel& m_model;
  const Engine& m_engine;
  const Configuration& m_config;
  SampleSet& m_samples;
  SampleSet& m_calibration;
  const Labels& m_labels;
  const SensitivityJob& m_what;
  AnalysisMemory& m_memory;
  JobContext& m_job;
  Json m_result;
  std::vector<OutputResult> m_baseline;  // what rows are compared with
};

}  // namespace

std::string runSensitivity(const LoadedModel& model, const Configuration& config,
                           SampleSet& samples, SampleSet& calibration, const Labels& labels,
                           const SensitivityJob& what, AnalysisMemory& memory, JobContext& job) {
  return Runner(model, config, samples, calibration, labels, what, memory, job).run();
}

}  // namespace quantscope
