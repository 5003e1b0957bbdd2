#pragma once

#include <QString>

#include "widgets/inspector/parts/inspector_subject.h"

namespace quantscope {

/// One sentence about a layer: whether it makes error by itself, or passes on error from before it.
/// Empty if the subject is no layer.
QString errorSentence(const InspectorSubject& subject);

/// "Not computed: operator STFT is not supported"; empty where it was, or no layer is selected.
QString notComputedWords(const InspectorSubject& subject);

/// How much of the data the figures rest on: "From the first 3 of 24 samples; more to come".
/// Empty where they are complete.
QString stageWords(const InspectorSubject& subject);

}  // namespace quantscope
