#pragma once

#include <span>

#include "gradients/gradient_case.h"

namespace quantscope::test {

/// A small network of one operator. "real" stands for its element type; every input of that type is
/// a variable.
struct GradientRow {
  const char* name;
  const char* text;
  Numbers numbers = Numbers::Signed;
  int opset = 17;
  bool floatOnly = false;  ///< its kernel has no double form
};

std::span<const GradientRow> elementwiseRows();
std::span<const GradientRow> structureRows();
std::span<const GradientRow> layerRows();

}  // namespace quantscope::test
