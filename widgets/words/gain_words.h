#pragma once

#include <QString>

#include "jobs/analysis/config_gains.h"
#include "jobs/repair/fitting_gain.h"
#include "repair/fitting_steps.h"

namespace quantscope {

/// "+12.3 dB"; "≈ +12.3 dB" where it is estimated; empty where there is none.
QString gainWords(const ConfigGain& gain);
/// "+0.4 kB"; "±0 B"
QString bytesWords(const ConfigGain& gain);
/// "Measured on all samples: the output gains 12.3 dB, the network takes +0.4 kB."
QString gainSentence(const ConfigGain& gain);

/// The core's figures with minus signs, not hyphens.
QString figureWords(const std::string& figures);
/// "Measured: equalize and round together win +12.3 dB at the worst output, at +0.4 kB.", and
/// fittingPlace().
QString fittingSentence(const FittingGain& fitting);
/// "Only /conv1 may change.": the layers that a repair is limited to, or why it is not.
QString fittingPlace(const FittingRepair& repair);

}  // namespace quantscope
