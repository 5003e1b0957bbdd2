#pragma once

#include <cstddef>

#include "session.h"

namespace quantscope {

/// Goes from layer to layer along their errors, from the worst to the best.
class ErrorWalk {
 public:
  explicit ErrorWalk(Session& session) : m_session(session) {}

  /// There are layers with errors to go along.
  bool possible() const;
  void goToWorst() { go(0); }
  void goToWorse() { go(-1); }
  void goToBetter() { go(1); }

 private:
  void go(int steps);
  void select(std::size_t layer);

  Session& m_session;
};

}  // namespace quantscope
