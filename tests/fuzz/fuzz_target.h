#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace quantscope::test {

/// A reader that is fed arbitrary bytes.
struct FuzzTarget {
  std::string name;  ///< of its file, without "fuzz_", and of its folder in corpora/
  void (*run)(std::string_view bytes);
};

/// The targets that are linked into this program: all of them in the tests, one in a fuzzer.
std::vector<FuzzTarget>& fuzzTargets();

struct FuzzTargetRegistrar {
  FuzzTargetRegistrar(const char* name, void (*run)(std::string_view));
};

/// Runs `action`, which may refuse its input with an Error; any other exception is a finding.
template <class Action>
void mayRefuse(const Action& action) {
  try {
    action();
  } catch (const Error&) {
  }
}

/// Ends the program, as a finding, where `holds` is false.
void require(bool holds, const char* what);

}  // namespace quantscope::test

/// Once per file, around what is done with the input, `bytes`:
///     QUANTSCOPE_FUZZ_TARGET(npy) { mayRefuse([&] { … }); }
#define QUANTSCOPE_FUZZ_TARGET(target)                                                            \
  static void target##Target(std::string_view bytes);                                             \
  static const quantscope::test::FuzzTargetRegistrar target##Registrar(#target, &target##Target); \
  static void target##Target([[maybe_unused]] std::string_view bytes)
