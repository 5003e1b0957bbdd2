#include "jobs/repair/fitting_gain.h"

#include "repair/output_judge.h"

namespace quantscope {

FittingGain measureFittingGain(const AnalysisSnapshot& shown, const FittingRepair& repair,
                               const RepairRequest& limits, const Labels& labels,
                               AnalysisMemory& memory, JobContext& job) {
  FittingGain fitting;
  fitting.repair = repair;
  RepairRequest request;
  request.seconds = limits.seconds;
  request.batch = limits.batch;
  request.only = repair.only;
  request.steps.clear();
  for (const std::string& name : repair.steps) {
    if (const RepairStep* step = findRepairStep(name)) request.steps.push_back(*step);
  }
  try {
    const RepairResult result = runRepair(shown, labels, request, memory, job);
    fitting.outOfTime = result.outOfTime;
    fitting.gain.gainDb = worstDecibels(result.endAll) - worstDecibels(result.startAll);
    fitting.gain.measured = true;
    for (const StepReport& report : result.steps) {
      if (!report.kept) continue;
      fitting.kept.push_back(report.step);
      fitting.gain.bytes += report.bytes;
    }
  } catch (const Error& error) {
    fitting.refusal = error.what();
  }
  return fitting;
}

}  // namespace quantscope
