#pragma once

#include <QJsonObject>
#include <filesystem>
#include <optional>

#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// The settings that a window keeps for a model's data: data, calibration, labels, samples, seed,
/// batch and preprocessing. Neither the model nor the configuration.
QJsonObject toJson(const AnalysisRequest& request);

/// Reads the output of toJson() into `request`; missing or invalid fields get their defaults, so
/// that notes of another version do no harm.
void fromJson(const QJsonObject& json, AnalysisRequest& request);

/// A request for a model with the data that lies beside it: `NAME.npz`, else `NAME.npy`, else the
/// `test_data_set_*` folders of its folder, and `NAME.labels.npy`. None where there is no data.
/// Goes by names alone; openSamples() says whether it fits.
std::optional<AnalysisRequest> dataBeside(const std::filesystem::path& model);

}  // namespace quantscope
