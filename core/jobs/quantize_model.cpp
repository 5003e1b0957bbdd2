#include "jobs/quantize_model.h"

#include <algorithm>

#include "calibration/calibrate.h"

namespace quantscope {

ObservationSettings observationSettings(const Configuration& config, std::size_t batch,
                                        DetectorMode detectors) {
  ObservationSettings settings;
  settings.batch = batch;
  settings.referenceQuantile = config.detectors->referencePercentile;
  if (detectors == DetectorMode::PyTorch) settings.reportAxis = config.detectors->channelAxis;
  settings.averagingConstants.clear();
  const auto add = [&](const TensorPrecision& precision) {
    if (precision.observer.kind != ObserverSpec::Kind::MovingAverage) return;
    const double constant = precision.observer.averagingConstant;
    if (std::ranges::find(settings.averagingConstants, constant) ==
        settings.averagingConstants.end()) {
      settings.averagingConstants.push_back(constant);
    }
  };
  const auto addChannels = [&](const TensorPrecision& precision) {
    settings.channelHistograms |= precision.granularity.kind == Granularity::Kind::PerChannel &&
                                  precision.observer.readsHistograms();
  };
  for (const NodePrecision* precision : config.precision->allPrecisions()) {
    add(precision->activation);
    add(precision->output);
    addChannels(precision->activation);
    addChannels(precision->output);
  }
  return settings;
}

bool givesRangesOf(const ObservationSettings& kept, const ObservationSettings& wanted) {
  const auto isKept = [&](double constant) {
    return std::ranges::find(kept.averagingConstants, constant) != kept.averagingConstants.end();
  };
  return kept.batch == wanted.batch && (kept.channelHistograms || !wanted.channelHistograms) &&
         std::ranges::all_of(wanted.averagingConstants, isKept);
}

CalibratedModel calibrateAndQuantize(const LoadedModel& model, const Configuration& config,
                                     SampleSource& calibration, std::size_t batch, JobContext& job,
                                     DetectorMode detectors) {
  Observations observations =
      calibrate(*model.engine, calibration, observationSettings(config, batch, detectors), job);
  QuantizedModel quantized = quantizeModel(*model.engine, config, observations, &job);
  return {std::move(observations), std::move(quantized)};
}

}  // namespace quantscope
