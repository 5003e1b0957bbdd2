#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/job_context.h"

namespace quantscope {

/// The output and the exit state of a program that ended.
struct ProgramResult {
  bool started = false;
  int status = -1;     ///< its exit status; −1 where a signal or the time limit ended it
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

/// Runs a program, found as a shell would find it but without one, with these arguments (the name
/// first) and these variables added to the environment, and without an input. Ends it when the time
/// is over or the job is cancelled, which throws Cancelled.
ProgramResult runProgram(const std::vector<std::string>& arguments,
                         const std::vector<std::pair<std::string, std::string>>& variables,
                         std::chrono::seconds limit, const JobContext& job);

}  // namespace quantscope
