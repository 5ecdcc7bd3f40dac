// Draws each kind of plot: a Figure with its SVG and its table.
#pragma once

#include "tools/page/figure.hpp"
#include "tools/page/model.hpp"

namespace spillway {

Figure draw(const LinePlot& plot);
Figure draw(const BarPlot& plot);
Figure draw(const GanttPlot& plot);
Figure draw(const AreaPlot& plot);

}  // namespace spillway
