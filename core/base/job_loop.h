#pragma once

#include <cstddef>

#include "base/job_context.h"
#include "base/workers.h"

namespace quantscope {

/// Calls body(0) … body(count − 1), each exactly once. With a job, the calls run on its workers in
/// any order, and Cancelled is thrown after a request to stop. Without a job they run on this
/// thread.
template <class Body>
void forEachItem(const JobContext* job, std::size_t count, const Body& body) {
  if (job == nullptr) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  job->workers().forEach(count, [&](std::size_t i) {
    job->throwIfCancelled();
    body(i);
  });
}

}  // namespace quantscope
