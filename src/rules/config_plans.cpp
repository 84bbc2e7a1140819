// SPDX-License-Identifier: Apache-2.0
// `plans:` who has which plan: by a value that names it, by a map, by a file.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "rules/config_reading.hpp"
#include "rules/text.hpp"

namespace weir::rules {

namespace {

constexpr std::size_t most_map_entries = 100'000;
constexpr std::size_t most_file_lines = 1'000'000;
constexpr std::size_t most_file_bytes = std::size_t{64} << 20;

/// Reads `key,plan` lines into the map.
class PlanFile {
 public:
  PlanFile(Reader& reader, const Value& value, Plans& plans, PlanNames& names)
      : reader_(reader), value_(value), plans_(plans), names_(names) {}

  void read(std::string_view name) {
    const std::filesystem::path beside =
        std::filesystem::path(reader_.problems().file()).parent_path();
    path_ = (beside / std::filesystem::path(name)).string();
    plans_.file = path_;
    std::error_code failed;
    // Only a regular file: reading a pipe or a terminal would wait for whoever writes there.
    if (!std::filesystem::is_regular_file(path_, failed)) {
      reader_.error(value_, fmt::format("'{}': is no file that can be read", shown(path_)));
      return;
    }
    if (std::filesystem::file_size(path_, failed) > most_file_bytes || failed) {
      reader_.error(value_,
                    fmt::format("'{}': has more than {} bytes", shown(path_), most_file_bytes));
      return;
    }
    std::ifstream stream(path_);
    for (std::string line; std::getline(stream, line);) {
      if (++line_ > most_file_lines) {
        error(fmt::format("more than {} lines", most_file_lines));
        return;
      }
      read_line(line);
    }
    if (!stream.eof()) reader_.error(value_, fmt::format("'{}': can't be read", shown(path_)));
  }

 private:
  void read_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trimmed(line);
    if (line.empty() || line.front() == '#' || (line_ == 1 && line == "key,plan")) return;
    const auto key = trimmed(cut_first(line, ','));
    const auto plan = trimmed(line);
    if (key.empty() || plan.empty() || plan.find(',') != plan.npos) {
      error("is no 'key,plan'");
      return;
    }
    const auto number = names_.number_of(plan, value_.place);
    const auto [entry, is_new] = plans_.plan_of.try_emplace(std::string(key), number);
    if (!is_new && entry->second != number) {
      error(fmt::format("'{}' has another plan already", shown(key)));
    }
  }

  void error(std::string text) {
    reader_.problems().error_in(path_, {static_cast<int>(line_), 1, {}}, std::move(text));
  }

  Reader& reader_;
  const Value& value_;
  Plans& plans_;
  PlanNames& names_;
  std::string path_;
  std::size_t line_ = 0;
};

void read_map(Reader& reader, const Value& value, Plans& plans, PlanNames& names) {
  const auto entries = reader.entries(value, "a mapping from keys to plans");
  if (entries.size() > most_map_entries) {
    reader.error(value, fmt::format("{} keys; at most {} are allowed here: use 'file'",
                                    entries.size(), most_map_entries));
    return;
  }
  for (const auto& [key, entry] : entries) {
    const auto plan = reader.text(entry, "the name of a plan");
    if (plan && reader.check_name(entry, *plan)) {
      plans.plan_of.try_emplace(std::string(key), names.number_of(*plan, entry.place));
    }
  }
}

void read_by(Reader& reader, const Value& value, Plans& plans, PlanNames& names) {
  if (value.is_text()) {
    plans.by = read_key_part(reader, value, {});
    return;
  }
  const Section section(reader, value, {"key", "map", "file"});
  if (!value.is_map()) return;
  const auto* map = section.find("map");
  const auto* file = section.find("file");
  plans.has_map = map != nullptr || file != nullptr;
  if (const auto* key = section.find("key")) {
    plans.by = read_key_part(reader, *key, {.has_route = false, .has_known_values = plans.has_map});
  } else {
    reader.error(value,
                 "'key' is missing: where the value comes from, such as \"header:x-api-key\"");
  }
  if (map != nullptr) read_map(reader, *map, plans, names);
  if (file != nullptr) {
    const auto name = reader.text(*file, "the name of a file");
    if (name) PlanFile(reader, *file, plans, names).read(*name);
  }
}

}  // namespace

void PlanNames::set_default(std::string_view name, const Place& place) {
  plans_.names.front() = name;
  numbers_.emplace(name, Plans::default_plan);
  places_.assign(1, place);
}

std::uint32_t PlanNames::number_of(std::string_view name, const Place& place) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(plans_.names.size());
  plans_.names.emplace_back(name);
  numbers_.emplace(name, number);
  places_.resize(number + 1);
  places_[number] = place;
  return number;
}

void read_plans(Reader& reader, const Value& value, Plans& plans, PlanNames& names) {
  const Section section(reader, value, {"by", "default"});
  if (!value.is_map()) return;
  const auto* by_default = section.find("default");
  const auto name =
      by_default != nullptr ? reader.text(*by_default, "the name of a plan") : std::nullopt;
  if (by_default == nullptr) {
    reader.error(value, "'default' is missing: the plan of whoever has no other");
  }
  if (name && reader.check_name(*by_default, *name)) names.set_default(*name, by_default->place);
  if (const auto* by = section.find("by")) {
    read_by(reader, *by, plans, names);
  } else {
    reader.error(value, "'by' is missing: where the plan comes from, such as \"header:x-plan\"");
  }
}

}  // namespace weir::rules
