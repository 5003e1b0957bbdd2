#pragma once

#include <string>

namespace quantscope {

/// Identifies the other inputs of a figure's bits besides model, samples and configuration: the
/// build of this program, and the instruction sets of this machine that kernels and oneDNN choose
/// by. Figures of another origin may be shown, but not used in further computations.
std::string computationOrigin();

/// Of these what differs in figures alone, since kernels give the same bits on all instruction
/// sets: the build of this program, the version of oneDNN, and the instruction set that oneDNN
/// chooses by.
std::string figuresOrigin();

/// "quantscope 1.2.0 (build 1a2b3c4d)": the version, and a hash of all that the core is built from,
/// since a version may have many builds.
std::string programName();

}  // namespace quantscope
