#pragma once

#include <functional>
#include <vector>

#include "analysis/sensitivity/sensitivity.h"
#include "precision/edits/type_choices.h"
#include "search/trial_runs.h"

namespace quantscope {

/// The first `count` layers of an order in a wider type, with those joined by hand with the last of
/// them, measured.
struct WideningPoint {
  std::size_t count = 0;
  ParetoPoint point;
};

/// Ascending counts.
using WideningCurve = std::vector<WideningPoint>;
using WideningSink = std::function<void(const WideningCurve&)>;

/// The layers that widening can begin with, as in QuantizedModel::layers: those first that, by the
/// rows of a sensitivity analysis, hurt the worst output most. Around the float network that is the
/// lowest SQNR in any other type; around a configuration the highest in `wider` itself, or the
/// lowest in any that the layer does not have where there is no such row. Left out are layers
/// without a figure, and those that have the type already, have a wider one or cannot be set to it.
/// Ties keep the network's order. Layers that the configuration joins by hand can only be widened
/// together, but for float: they stand next to each other, where the first of them does.
std::vector<std::size_t> wideningOrder(const std::vector<SensitivityRow>& rows,
                                       SensitivityRequest::Around around,
                                       const TypeChoices& choices, QuantType wider);

/// Counts to measure first of so many layers: all of a few, else closer together at the beginning,
/// where most is gained. With 0 and `layers`.
std::vector<std::size_t> wideningSteps(std::size_t layers);

/// Both as one curve; a count that is in both is as in `more`.
WideningCurve merged(const WideningCurve& curve, const WideningCurve& more);

/// "set the 5 most sensitive layers to INT16". Takes all of the layers that are joined by hand with
/// the last one.
ConfigEdit wideningEdit(const TypeChoices& choices, const std::vector<std::size_t>& order,
                        std::size_t count, QuantType wider);

/// Runs the network for each of `counts`, on all samples, in their order. Left out are counts whose
/// configuration contradicts itself. The figures are those of an analysis of wideningEdit()'s
/// configuration, bit for bit. `publish` (may be empty) gets the curve so far. Throws Cancelled.
WideningCurve measureWidening(const TypeChoices& choices, const std::vector<std::size_t>& order,
                              QuantType wider, const std::vector<std::size_t>& counts,
                              TrialRuns& runs, const WideningSink& publish);

}  // namespace quantscope
