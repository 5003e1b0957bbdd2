#pragma once

#include <string>

#include "precision/config/configuration.h"

namespace quantscope::test {

/// The configuration of a file that says this, as in R"("bias": "int32")"; "" = nothing.
inline Configuration configurationWith(const std::string& keys) {
  return parseConfiguration("{\"quantscope\": 1" + (keys.empty() ? "" : ", " + keys) + "}",
                            "config");
}

}  // namespace quantscope::test
