#include "analysis/worst_output.h"

namespace quantscope {

std::optional<double> worstOutputSqnr(const std::vector<OutputResult>& outputs) {
  std::optional<double> worst;
  for (const OutputResult& output : outputs) {
    const std::optional<double>& sqnr = output.error.sqnrDb;
    if (sqnr && (!worst || *sqnr < *worst)) worst = sqnr;
  }
  return worst;
}

}  // namespace quantscope
