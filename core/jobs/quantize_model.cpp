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
    const ObserverSpec::Kind kind = precision.observer.kind;
    settings.channelHistograms |= precision.granularity.kind == Granularity::Kind::PerChannel &&
                                  kind != ObserverSpec::Kind::MinMax &&
                                  kind != ObserverSpec::Kind::MovingAverage;
  };
  for (const NodePrecision* precision : config.precision->allPrecisions()) {
    add(precision->activation);
    add(precision->output);
    addChannels(precision->activation);
    addChannels(precision->output);
  }
  return settings;
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
