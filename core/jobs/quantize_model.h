#pragma once

#include "calibration/observers/observations.h"
#include "calibration/observers/value_observer.h"
#include "calibration/sample_source.h"
#include "detectors/detector.h"
#include "jobs/load_model.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The observations of calibration, and the model quantized with them.
struct CalibratedModel {
  Observations observations;
  QuantizedModel model;
};

/// The settings of calibration for a configuration: every moving average that it asks for,
/// histograms per channel if its activations are per channel with an observer that needs them, and
/// the statistics that the detectors of the mode read.
ObservationSettings observationSettings(const Configuration& config, std::size_t batch,
                                        DetectorMode detectors = DetectorMode::Quantscope);

/// True where observations by `kept` give every range that `wanted` is for.
bool givesRangesOf(const ObservationSettings& kept, const ObservationSettings& wanted);

/// One pass over the calibration samples, then the configuration resolved with its ranges.
/// `batch`: samples per calibration batch, for statistics that are defined per batch.
CalibratedModel calibrateAndQuantize(const LoadedModel& model, const Configuration& config,
                                     SampleSource& calibration, std::size_t batch, JobContext& job,
                                     DetectorMode detectors = DetectorMode::Quantscope);

}  // namespace quantscope
