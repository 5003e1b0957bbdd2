#include "analysis/errors/worst_output.h"

namespace quantscope {

const OutputResult* worstOutput(const std::vector<OutputResult>& outputs) {
  const OutputResult* worst = nullptr;
  for (const OutputResult& output : outputs) {
    if (!output.error.sqnrDb) continue;
    if (worst == nullptr || *output.error.sqnrDb < *worst->error.sqnrDb) worst = &output;
  }
  return worst;
}

std::optional<double> worstOutputSqnr(const std::vector<OutputResult>& outputs) {
  const OutputResult* worst = worstOutput(outputs);
  return worst == nullptr ? std::nullopt : worst->error.sqnrDb;
}

double gainBetween(double before, double after) {
  return before == after ? 0 : after - before;
}

}  // namespace quantscope
