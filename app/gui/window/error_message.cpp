#include "error_message.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <new>

#include "base/job_context.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString remedyText(const char* source) {
  return QCoreApplication::translate("ErrorMessage", source);
}

bool isAboutData(ErrorCode code) {
  return code == ErrorCode::InvalidData || code == ErrorCode::InsufficientData ||
         code == ErrorCode::CalibrationFailed;
}

QString sentenceOf(const Error& error) {
  return capitalized(text(error.statement())) + u'.';
}

QString hintOf(const Error& error) {
  return error.remedy().empty() ? QString() : capitalized(text(error.remedy())) + u'.';
}

}  // namespace

Message errorMessage(const Error& error, const ErrorRemedies& remedies) {
  Message message{.severity = Message::Severity::Error,
                  .sentence = sentenceOf(error),
                  .hint = hintOf(error),
                  .details = text(error.what()),
                  .topic = QStringLiteral("error")};
  const auto offer = [&message](const QString& title, std::function<void()> run) {
    message.remedies.push_back({title, std::move(run)});
  };
  if (isAboutData(error.code()) && remedies.chooseData) {
    offer(remedyText("Choose Data…"), remedies.chooseData);
  }
  if (!error.place().node.empty() && remedies.showNode) {
    offer(remedyText("Show Node"),
          [show = remedies.showNode, node = error.place().node] { show(node); });
  }
  if (error.code() == ErrorCode::InvalidConfiguration && remedies.undo) {
    offer(remedyText("Undo"), remedies.undo);
  }
  const QFileInfo file(text(error.place().file));
  if (error.code() == ErrorCode::Io && !error.place().file.empty() && file.dir().exists() &&
      remedies.openFolder) {
    offer(remedyText("Open Folder"),
          [open = remedies.openFolder, folder = file.absolutePath()] { open(folder); });
  }
  if (remedies.retry) offer(remedyText("Retry"), remedies.retry);
  return message;
}

QString failureWords(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    const Message message = errorMessage(error, {});
    return message.hint.isEmpty() ? message.sentence : message.sentence + u'\n' + message.hint;
  } catch (const std::bad_alloc&) {
    return remedyText("There is not enough memory for this.") + u'\n' +
           remedyText("Use fewer samples, or lower the memory budget.");
  } catch (const std::exception& error) {
    return text(error.what());
  }
}

bool isCancelled(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Cancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace quantscope
