// SPDX-License-Identifier: MIT
#include "output/route.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "model/text.hpp"
#include "output/csv.hpp"
#include "output/json.hpp"
#include "output/table.hpp"

namespace ringctl {

namespace {

/// Each member's id as the format shows it, rendered once.
class Names {
 public:
  template <class Render>
  Names(const PlacedFleet& fleet, Render render) {
    for (const auto& member : fleet.members()) names_.emplace(&member.node, render(member.node));
  }
  /// `node` must be the fleet's own object, not a copy.
  const std::string& operator[](const std::string& node) const { return names_.at(&node); }

  std::size_t size() const { return names_.size(); }
  std::size_t longest() const {
    std::size_t longest = 0;
    for (const auto& [node, name] : names_) longest = (std::max)(longest, columns(name));
    return longest;
  }

 private:
  std::unordered_map<const std::string*, std::string> names_;
};

/// The key comes last because it can have any length. If no node is dead, the owner is the first
/// replica and is shown once.
class TextRows final : public RouteRows {
 public:
  TextRows(const PlacedFleet& fleet, std::size_t replicas, bool any_dead, Output& out)
      : names_(fleet, shown),
        any_dead_(any_dead),
        replicas_((std::min)(replicas, names_.size())),
        width_((std::max)(std::string_view("replica 1").size(),
                          names_.longest() + (any_dead ? 2 : 0)) +
               2),
        out_(out) {}

  void begin() override {
    out_ << padded("owner", width_);
    for (std::size_t i = first(); i < replicas_; ++i) {
      out_ << padded("replica " + std::to_string(i + 1), width_);
    }
    out_ << "key\n";
  }

  void row(std::string_view key, const Route& route) override {
    const std::string& owner = names_[*route.owner];
    out_ << padded(any_dead_ && route.owner_is_dead() ? '(' + owner + ')' : owner, width_);
    for (std::size_t i = first(); i < replicas_; ++i) {
      const bool is_there = i < route.replicas.size();
      std::string cell = is_there ? names_[route.replicas[i]] : "-";
      if (is_there && route.replicas.is_substitute(i)) cell += '*';
      out_ << padded(std::move(cell), width_);
    }
    out_ << shown(key) << "\n";
  }

 private:
  std::size_t first() const { return any_dead_ ? 0 : 1; }

  Names names_;
  bool any_dead_;
  std::size_t replicas_;
  std::size_t width_;
  Output& out_;
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
  Names names_;
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

  Names names_;
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
