#pragma once

#include <exception>
#include <functional>

#include "base/error.h"
#include "widgets/shell/message_bar.h"

namespace quantscope {

/// Remedies for an error; empty ones are not possible now.
struct ErrorRemedies {
  std::function<void()> chooseData = {};
  std::function<void(const std::string& node)> showNode = {};
  std::function<void(const QString& folder)> openFolder = {};
  std::function<void()> undo = {};
  std::function<void()> retry = {};
};

/// An error as a message, with a button for each remedy that fits it.
Message errorMessage(const Error& error, const ErrorRemedies& remedies);

/// The sentence of a job's exception, with its remedy.
QString failureWords(const std::exception_ptr& failure);
bool isCancelled(const std::exception_ptr& failure);

}  // namespace quantscope
