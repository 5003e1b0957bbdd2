#include "jobs/export/mobile_model.h"

#include <set>

#include "base/error.h"
#include "export/loss_report.h"
#include "precision/backend/backend_check.h"
#include "precision/config/layer_alone.h"

namespace quantscope {
namespace {

constexpr const char* kBackend = "qnnpack";
// A changed layer may be fused in another way, and its parts be checked anew.
constexpr int kMostRounds = 4;

/// The precision with every layer's nearest in place of what the backend lacks.
PrecisionConfig nearestPrecision(const ShownModel& shown, ExportLosses& losses) {
  PrecisionConfig precision = *shown.config.precision;
  precision.backend = kBackend;
  precision.bias.reset();
  const std::shared_ptr<const Backend> backend = findBackend(kBackend);
  std::set<std::string> told;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::vector<NotSupported> problems =
        validateConfig(*shown.model.engine, precision, *backend);
    if (problems.empty()) break;
    for (const NotSupported& problem : problems) {
      setNode(precision, problem.node, problem.nearestPrecision);
      if (!told.insert(problem.node).second) continue;
      losses.push_back({problem.node, "it has " + problem.nearest + " instead of " + problem.asked +
                                          ": " + problem.reason});
    }
  }
  return precision;
}

}  // namespace

MobileModel mobileModel(const ShownModel& shown, const JobContext* job) {
  MobileModel mobile{shown.config, {}, {}};
  ExportLosses changed;
  mobile.config.precision = SharedPart<PrecisionConfig>(nearestPrecision(shown, changed));
  if (shown.config.precision->backend != kBackend) {
    mobile.losses.push_back({"", "the file computes what the backend \"qnnpack\" shows, not \"" +
                                     shown.config.precision->backend + "\""});
  }
  if (shown.config.precision->bias && *shown.config.precision->bias != BiasRule::Int32) {
    mobile.losses.push_back({"", std::string("biases are int32 as in QNNPACK's kernels, not \"") +
                                     name(*shown.config.precision->bias) +
                                     "\" as the configuration asks"});
  }
  const Engine& engine = *shown.model.engine;
  try {
    mobile.quantized = quantizeModel(engine, mobile.config, shown.observations, job);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidConfiguration || mobile.config.encodings->empty()) throw;
    mobile.losses.push_back(
        {"", "exact parameters do not fit QNNPACK's grids and were computed anew: " +
                 std::string(error.what())});
    mobile.config.encodings = SharedPart<Encodings>(Encodings());
    mobile.quantized = quantizeModel(engine, mobile.config, shown.observations, job);
  }
  addLosses(changed, mobile.losses);
  return mobile;
}

}  // namespace quantscope
