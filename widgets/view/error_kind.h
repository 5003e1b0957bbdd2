#pragma once

#include <QString>
#include <array>

#include "analysis/analysis_result.h"
#include "widgets/look/error_scale.h"

namespace quantscope {

/// The error of the layers that the window shows.
enum class ErrorKind { Local, Accumulated, Contribution };

inline constexpr std::array kErrorKinds{ErrorKind::Local, ErrorKind::Accumulated,
                                        ErrorKind::Contribution};

/// "Local error", and its definition in one sentence.
QString titleOf(ErrorKind kind);
QString definitionOf(ErrorKind kind);
/// "local", as in settings, filters and the middle of a sentence.
QString keyOf(ErrorKind kind);
/// Local where there is no such key.
ErrorKind errorKindOf(const QString& key);

/// That error of a layer; nullopt if it has none or it is not known.
const std::optional<LayerError>& errorOf(const LayerResult& layer, ErrorKind kind);
/// Why there is nothing.
Figure::Kind absenceOf(const LayerResult& layer, ErrorKind kind);

}  // namespace quantscope
