#pragma once

#include <string>
#include <string_view>

#include "analysis/analysis_result.h"
#include "graph/graph.h"

namespace quantscope {

/// A result as bytes: every number bit for bit.
std::string analysisResultToBytes(const AnalysisResult& result);

/// The reverse. Throws Error(InvalidData), naming `source`, for bytes that are none or of another
/// version, and for those of another model, whose nodes have other names.
AnalysisResult analysisResultFromBytes(std::string_view bytes, const Graph& graph,
                                       const std::string& source);

/// Results of outputs, and these again from bytes that this program has written.
std::string outputsToBytes(const std::vector<OutputResult>& outputs);
std::vector<OutputResult> outputsFromBytes(std::string_view bytes);

}  // namespace quantscope
