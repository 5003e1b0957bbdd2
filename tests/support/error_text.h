#pragma once

#include <string>
#include <utility>

#include "base/error.h"

namespace quantscope::test {

/// The text of the Error that `action` throws; "" if it throws none.
template <class Action>
std::string errorText(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace quantscope::test

/// Checks that `action` throws an Error whose text contains `part`.
#define VERIFY_ERROR(action, part)                                         \
  do {                                                                     \
    const std::string text = quantscope::test::errorText([&] { action; }); \
    QVERIFY2(!text.empty(), "no error was thrown");                        \
    QVERIFY2(quantscope::test::contains(text, part), text.c_str());        \
  } while (false)
