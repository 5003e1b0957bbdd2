#pragma once

#include <vector>

namespace quantscope {
class GraphCanvas;
}

namespace quantscope::bench {

/// Zooms and pans in a canvas by real events of wheel and mouse: into the middle of the graph,
/// along it, out, across, and in again elsewhere. Returns the milliseconds from each event to the
/// repaint that it caused, of `follower` too where there is one.
std::vector<double> moveAbout(GraphCanvas& canvas, const GraphCanvas* follower);

}  // namespace quantscope::bench
