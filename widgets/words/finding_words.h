#pragma once

#include <QString>

#include "detectors/findings/finding.h"
#include "graph/graph.h"

namespace quantscope {

/// The meaning of a finding's statistic, with its unit: "values beyond the grid, share".
QString statisticWords(const Finding& finding);

/// "Saturation (values beyond the grid, share): 0.12, threshold 0.01. Confidence 90 %."
QString figureWords(const Finding& finding);

/// True where applying the suggestion changes the configuration.
bool canBeApplied(const Finding& finding);

/// The remedy and its gain: "+2.3 dB at the network's output, from running it so.", or that it is
/// being measured (`pending`); then outputGainsWords(). Empty without a suggestion.
QString suggestionWords(const Finding& finding, bool pending);

/// The gains of the outputs, the smallest first: "Of each output: state −0.2 dB, scores +1.3 dB.";
/// only the first few where there are many. Empty where there is one output.
QString outputGainsWords(const Finding& finding);

/// "+2.3", "−0.4"; "…" where it is still being found out, "–" where there is nothing to say.
QString gainText(const Finding& finding, bool pending);

/// The layers of a finding with their channels, the first layer first; empty where they all have
/// the same ones.
std::vector<MemberChannels> channelsByLayer(const Finding& finding);

/// A line for each, its layer a link by its index; only the first ones where there are many. Rich
/// text; empty for none.
QString channelLinks(const std::vector<MemberChannels>& layers, const Graph& graph);

/// All of it, a line each: the sentence, the reason, the figures, what helps.
QString findingText(const Finding& finding, bool pending);

/// The sentences of several findings, the first of them spelt out, for a tooltip. Rich text.
QString sentencesOf(const std::vector<const Finding*>& findings);

}  // namespace quantscope
