#pragma once

#include "engine/engine.h"
#include "precision/edits/config_edit.h"

namespace quantscope {

/// `edit` of `config` with the removal of the encodings that it voids: those that fit what `config`
/// quantizes, and after the edit contradict the types, modes or codes that are asked for there, or
/// are of nothing that is quantized. Encodings that contradict `config` itself stay, and so do all
/// where `config` or what the edit makes of it contradicts itself: that is told when it is used.
ConfigEdit voidingEncodings(ConfigEdit edit, const Engine& engine, const Configuration& config);

}  // namespace quantscope
