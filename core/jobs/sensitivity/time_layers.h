#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/cost/cost_table.h"
#include "calibration/sample_set.h"
#include "jobs/load_model.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// Times the layers that a model has under a configuration, with the shapes of the first sample;
/// see measureLayerTimes(). Throws Cancelled.
CostTable timeLayers(const LoadedModel& model, const Configuration& config, SampleSet& samples,
                     JobContext& job);

/// Reads a table of times, which has to have all layers of the model under the configuration.
/// `notices`: see costNotices(). Throws InvalidConfiguration, Error(Io).
CostTable openCostTable(const std::filesystem::path& file, const LoadedModel& model,
                        const Configuration& config, std::vector<std::string>& notices,
                        JobContext& job);

}  // namespace quantscope
