#pragma once

#include "repair/repair_step.h"
#include "repair/scales/scale_regions.h"

namespace quantscope {

/// The rule for the factors of a region.
struct EqualizationRule {
  const char* what = "";
  /// s_c = r_c^makers · a_c^activations / t_c^readers, with r_c and t_c the largest weights that
  /// make and that read channel c, and a_c the largest observed value of it.
  double makers = 0.5;
  double activations = 0;
  double readers = 0.5;
  /// Clips become rectifiers; else channels are scaled only as far as their clips do not change:
  /// not at all where a clip is in effect.
  bool rectify = false;
  /// High-bias absorption afterwards; see absorbableShifts().
  bool absorb = false;
  /// Observer of static activations that goes with it; nullptr = the configuration's.
  const char* ranges = nullptr;
};

/// Cross-layer equalization (Nagel 2019, section 4.1) of all regions, in sweeps until no factor
/// differs from 1 by more than 1 %: channel c of the values of a region is divided by s_c, the
/// weights and biases that make it too, and the weights that read it are multiplied. All factors
/// together stay within 1/64 … 64. A channel without weights keeps 1, and so do regions that
/// constants alone make. Float results stay the same, but for values that a Clip cut off and a
/// rectifier does not.
Overlay equalize(const RepairState& state, const LinearLayers& layers, const ScaleRegions& regions,
                 const EqualizationRule& rule, bool powersOfTwo = false);

/// The rules that are tried, each with high-bias absorption: over weights alone as in the paper,
/// with activations, over activations and reading weights as SmoothQuant does with α of 0.5, 0.75
/// and 1. The first and the last of them come with rectifiers for Clips too, with ranges that leave
/// the rarest values out, and with both: each alone may lose.
RepairProposal proposeEqualization(const RepairState& state, const LinearLayers& layers,
                                   RepairTools& tools, std::size_t way);

/// Ways of equalizing.
inline constexpr std::size_t kEqualizationWays = 11;

}  // namespace quantscope
