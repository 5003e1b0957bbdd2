#pragma once

namespace quantscope::bench {

/// Since this process was started, by the system's own record (to 10 ms); negative where it keeps
/// none.
double millisecondsSinceStart();

}  // namespace quantscope::bench
