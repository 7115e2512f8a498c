// SPDX-License-Identifier: MIT
#include "output/route.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "model/text.hpp"
#include "output/csv.hpp"
#include "output/json.hpp"
#include "output/terminal.hpp"

namespace ringctl {

namespace {

/// The text of each member's id in the format, made once.
template <class Shown>
class Names {
 public:
  template <class Make>
  Names(const PlacedFleet& fleet, Make make) {
    for (const auto& member : fleet.members()) names_.emplace(&member.node, make(member.node));
  }
  /// `node` must be the fleet's own object, not a copy.
  const Shown& operator[](const std::string& node) const { return names_.at(&node); }

 private:
  std::unordered_map<const std::string*, Shown> names_;
};

/// The key comes last because it can have any length. If no node is dead, the owner is the first
/// replica and is shown once. On a terminal, names, replicas and keys are cut to its width;
/// elsewhere a program can read them.
class TextRows final : public RouteRows {
 public:
  TextRows(const PlacedFleet& fleet, std::size_t replicas, bool any_dead, Output& out)
      : layout_(layout_for(fleet, replicas, any_dead)),
        names_(fleet, [&](const std::string& id) { return cell_of(id); }),
        out_(out) {}

  void begin() override {
    line_.clear();
    append({"owner", 5});
    for (std::size_t i = layout_.first; i < layout_.replicas; ++i) {
      const std::string heading = "replica " + std::to_string(i + 1);
      append({heading, heading.size()});
    }
    std::string key = "key";
    if (layout_.left_out > 0) {
      key += " (" + counted(layout_.left_out, "more replica") + ": --format csv)";
    }
    line_ += layout_.limited ? fitted(std::move(key), layout_.key_width) : key;
    end_line();
  }

  void row(std::string_view key, const Route& route) override {
    line_.clear();
    const Cell& owner = names_[*route.owner];
    if (route.owner_is_dead()) {
      append({'(' + owner.text + ')', owner.width + 2});
    } else {
      append(owner);
    }
    for (std::size_t i = layout_.first; i < layout_.replicas; ++i) {
      if (i >= route.replicas.size()) {
        append({"-", 1});
      } else if (route.replicas.is_substitute(i)) {
        const Cell& name = names_[route.replicas[i]];
        append({name.text + '*', name.width + 1});
      } else {
        append(names_[route.replicas[i]]);
      }
    }
    if (layout_.limited) {
      line_ += fitted(shown(key), layout_.key_width);
    } else {
      append_shown(line_, key);
    }
    end_line();
  }

 private:
  struct Cell {
    std::string text;
    std::size_t width;
  };

  struct Layout {
    bool limited;            ///< To a terminal's width.
    std::size_t first;       ///< The first replica that has a column; 1 if replica 0 is the owner.
    std::size_t replicas;    ///< Columns, including those before `first`.
    std::size_t left_out;    ///< Replicas without a column.
    std::size_t marks;       ///< Columns of the brackets around a dead owner.
    std::size_t name_width;  ///< With the marks.
    std::size_t key_width;
  };

  static constexpr std::size_t gap = 2;

  static Layout layout_for(const PlacedFleet& fleet, std::size_t replicas, bool any_dead) {
    constexpr std::size_t shortest_name = 8;
    constexpr std::size_t shortest_key = 12;
    std::size_t longest = 0;
    std::size_t members = 0;
    for (const auto& member : fleet.members()) {
      longest = (std::max)(longest, cells(shown(member.node)));
      ++members;
    }
    const std::size_t marks = any_dead ? 2 : 0;
    Layout layout{writes_to_terminal(),
                  any_dead ? 0u : 1u,
                  (std::min)(replicas, members),
                  0,
                  marks,
                  (std::max)(std::string_view("replica 1").size(), longest + marks),
                  0};
    if (!layout.limited) return layout;
    const std::size_t room =
        output_width() > shortest_key ? output_width() - shortest_key : std::size_t{1};
    const std::size_t most = (std::max)(room / (shortest_name + gap), std::size_t{1});
    std::size_t columns = 1 + layout.replicas - layout.first;
    if (columns > most) {
      layout.left_out = columns - most;
      layout.replicas -= layout.left_out;
      columns = most;
    }
    layout.name_width =
        (std::min)(layout.name_width, (std::max)(room / columns, gap + marks + 1) - gap);
    const std::size_t used = columns * (layout.name_width + gap);
    layout.key_width = output_width() > used ? output_width() - used : 0;
    return layout;
  }

  Cell cell_of(const std::string& id) const {
    std::string text = fitted(shown(id), layout_.name_width - layout_.marks);
    const std::size_t width = cells(text);
    return {std::move(text), width};
  }

  void append(const Cell& cell) {
    line_ += cell.text;
    const std::size_t width = layout_.name_width + gap;
    if (cell.width < width) line_.append(width - cell.width, ' ');
  }
  void end_line() {
    line_ += '\n';
    out_ << line_;
  }

  Layout layout_;
  Names<Cell> names_;
  Output& out_;
  std::string line_;
};

class CsvRows final : public RouteRows {
 public:
  CsvRows(const PlacedFleet& fleet, std::size_t replicas, Output& out)
      : names_(fleet, csv_field), replicas_(replicas), out_(out) {}

  void begin() override {
    out_ << "key,owner";
    for (std::size_t i = 1; i <= replicas_; ++i) out_ << ",replica" << std::to_string(i);
    out_ << ",substitutes\n";
  }

  void row(std::string_view key, const Route& route) override {
    out_ << csv_field(key) << "," << names_[*route.owner];
    for (std::size_t i = 0; i < replicas_; ++i) {
      out_ << ",";
      if (i < route.replicas.size()) out_ << names_[route.replicas[i]];
    }
    out_ << "," << std::to_string(route.replicas.size() - route.replicas.first_substitute())
         << "\n";
  }

 private:
  Names<std::string> names_;
  std::size_t replicas_;
  Output& out_;
};

/// One object per line.
class JsonRows final : public RouteRows {
 public:
  JsonRows(const PlacedFleet& fleet, Output& out)
      : names_(fleet, [](const std::string& id) { return json_value(id).dump(); }), out_(out) {}

  void begin() override {}

  void row(std::string_view key, const Route& route) override {
    out_ << R"({"key":)" << json_value(key).dump() << R"(,"owner":)" << names_[*route.owner]
         << R"(,"replicas":[)";
    list(route.replicas, 0);
    out_ << R"(],"substitutes":[)";
    list(route.replicas, route.replicas.first_substitute());
    out_ << R"(],"complete":)" << (route.replicas.complete() ? "true" : "false") << "}\n";
  }

 private:
  void list(const Replicas& replicas, std::size_t first) {
    for (std::size_t i = first; i < replicas.size(); ++i) {
      out_ << (i == first ? "" : ",") << names_[replicas[i]];
    }
  }

  Names<std::string> names_;
  Output& out_;
};

}  // namespace

std::unique_ptr<RouteRows> route_rows(Format format, const PlacedFleet& fleet, std::size_t replicas,
                                      bool any_dead, Output& out) {
  switch (format) {
    case Format::csv:
      return std::make_unique<CsvRows>(fleet, replicas, out);
    case Format::json:
      return std::make_unique<JsonRows>(fleet, out);
    case Format::text:
      break;
  }
  return std::make_unique<TextRows>(fleet, replicas, any_dead, out);
}

}  // namespace ringctl
