#pragma once

#include <QTest>

namespace quantscope::test {

/// How long a test waits for what must come: on a busy machine everything takes its time, and what
/// is there ends the wait. In milliseconds.
inline constexpr int kPatienceMs = 60'000;

}  // namespace quantscope::test

// Qt's own wait for 5 seconds.
#undef QTRY_VERIFY
#undef QTRY_VERIFY2
#undef QTRY_COMPARE
#define QTRY_VERIFY(expression) QTRY_VERIFY_WITH_TIMEOUT(expression, quantscope::test::kPatienceMs)
#define QTRY_VERIFY2(expression, message) \
  QTRY_VERIFY2_WITH_TIMEOUT(expression, message, quantscope::test::kPatienceMs)
#define QTRY_COMPARE(actual, expected) \
  QTRY_COMPARE_WITH_TIMEOUT(actual, expected, quantscope::test::kPatienceMs)
