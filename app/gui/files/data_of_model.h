#pragma once

#include <QString>
#include <QStringList>

#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// Where the data of a request came from.
enum class DataOrigin { None, Remembered, Beside };

/// A request for a model, with the data that is most likely meant.
struct ProposedRequest {
  AnalysisRequest request;
  DataOrigin origin = DataOrigin::None;
};

/// The data last chosen for this model, if it still exists; else data found beside the
/// model.
ProposedRequest proposeRequest(const QString& model);

/// Remembers the data of a request for its model, and offers it for others.
void rememberData(const AnalysisRequest& request);

/// Data that was chosen for any model, as AnalysisRequest::data names it, newest first.
QStringList recentData();

/// True for what openSamples() may take: .npz, .npy or a folder.
bool looksLikeData(const QString& path);

}  // namespace quantscope
