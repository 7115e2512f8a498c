// SPDX-License-Identifier: MIT
#include "output/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "model/text.hpp"

namespace ringctl {

namespace {

constexpr double names_width = 100, panel_width = 190, bar_width = panel_width - 60;
constexpr double row_height = 22, top = 46;

double row_top(std::size_t row) { return top + row_height * static_cast<double>(row); }

/// One panel of bars, one row per scheme.
struct Panel {
  std::string title;
  std::vector<std::optional<double>> lengths;  ///< 0 to 1 of the panel's width.
  std::vector<std::string> labels;
  std::optional<double> mark;  ///< A line across the bars, such as a floor.
};

std::array<Panel, 4> panels_of(const Comparison& comparison) {
  Panel lookup{"lookup, ns (log scale)", {}, {}, {}};
  Panel peak{"hottest node above the mean", {}, {}, {}};
  Panel join{"keys moved by a join", {}, {}, comparison.join_floor};
  Panel leave{"keys moved by a leave", {}, {}, comparison.leave_floor};
  double slowest = 10, hottest = 0.01;
  for (const SchemeResult& scheme : comparison.schemes) {
    slowest = std::max(slowest, scheme.lookup_ns);
    hottest = std::max(hottest, scheme.peak_to_mean - 1);
  }
  for (const SchemeResult& scheme : comparison.schemes) {
    lookup.lengths.push_back(std::log10(std::max(1.0, scheme.lookup_ns)) / std::log10(slowest));
    lookup.labels.push_back(fixed(scheme.lookup_ns, 1));
    peak.lengths.push_back((scheme.peak_to_mean - 1) / hottest);
    peak.labels.push_back(percent(scheme.peak_to_mean - 1, 1));
    join.lengths.push_back(scheme.join_moves);
    join.labels.push_back(percent(scheme.join_moves, 1));
    leave.lengths.push_back(scheme.leave_moves);
    leave.labels.push_back(scheme.leave_moves ? percent(*scheme.leave_moves, 1) : "cannot");
  }
  return {lookup, peak, join, leave};
}

std::string svg_text(double x, double y, std::string_view text, std::string_view attributes = "") {
  return "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\" " + std::string(attributes) +
         ">" + std::string(text) + "</text>\n";
}

std::string svg_panel(const Panel& panel, double left) {
  std::string svg = svg_text(left, 38, panel.title, "font-size=\"9\"");
  for (std::size_t i = 0; i < panel.lengths.size(); ++i) {
    const double y = row_top(i) + 8;
    const double length = std::clamp(panel.lengths[i].value_or(0), 0.0, 1.0) * bar_width;
    svg += "<rect x=\"" + fixed(left, 1) + "\" y=\"" + fixed(y, 1) + "\" width=\"" +
           fixed(length, 1) + "\" height=\"15\" fill=\"#4878a8\"/>\n";
    svg += svg_text(left + length + 4, y + 12, panel.labels[i], "font-size=\"10\"");
  }
  if (panel.mark) {
    const double bottom = row_top(panel.lengths.size());
    const std::string x = fixed(left + *panel.mark * bar_width, 1);
    svg += "<line x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + fixed(top + 4, 1) + "\" y2=\"" +
           fixed(bottom + 6, 1) + "\" stroke=\"#c03020\" stroke-dasharray=\"3 2\"/>\n";
    svg += svg_text(left, bottom + 20, "floor " + percent(*panel.mark, 1),
                    "font-size=\"9\" fill=\"#c03020\"");
  }
  return svg;
}

}  // namespace

std::string chart_of(const Comparison& comparison) {
  const auto panels = panels_of(comparison);
  const double width = names_width + panel_width * static_cast<double>(panels.size());
  const double height = row_top(comparison.schemes.size()) + 34;
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + fixed(width, 0) +
                    " " + fixed(height, 0) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  svg += svg_text(10, 20, counted(comparison.nodes, "node"), "font-weight=\"bold\"");
  for (std::size_t i = 0; i < comparison.schemes.size(); ++i) {
    svg += svg_text(10, row_top(i) + 20, comparison.schemes[i].name);
  }
  double left = names_width;
  for (const Panel& panel : panels) {
    svg += svg_panel(panel, left);
    left += panel_width;
  }
  return svg + "</svg>\n";
}

}  // namespace ringctl
