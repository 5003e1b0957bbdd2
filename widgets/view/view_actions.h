#pragma once

#include <QAction>

namespace quantscope {

/// How an action that belongs to one view is named, found and explained. Texts are for tr() in the
/// context that makeViewAction() is given.
struct ViewActionSpec {
  const char* name;  ///< of the object: "graph.fit"
  const char* icon;  ///< see icon(); empty = none
  const char* text;
  const char* tooltip;    ///< one sentence, without a full stop
  const char* shortcuts;  ///< portable, separated by "; "; empty = none
  bool checkable = false;
};

/// An action whose shortcuts work while `view` or a part of it has the focus; added to it.
QAction* makeViewAction(const ViewActionSpec& spec, const char* context, QWidget* view,
                        QObject* owner);

}  // namespace quantscope
