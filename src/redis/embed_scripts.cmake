# Writes the Lua scripts into a C++ source: weir_embed_scripts(OUTPUT SCRIPT...). Comment lines,
# blank lines and indentation stay behind.
function(weir_embed_scripts output)
  set(entries "")
  foreach(script IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
    file(READ ${script} source)
    string(REGEX REPLACE "(^|\n)[ \t]*--[^\n]*" "\\1" source "${source}")
    string(REGEX REPLACE "[ \t]+-- [^\n]*" "" source "${source}")
    string(REGEX REPLACE "\n[ \t\n]+" "\n" source "${source}")
    string(STRIP "${source}" source)
    string(SHA1 sha1 "${source}")
    get_filename_component(name ${script} NAME_WE)
    string(APPEND entries "    {\"${name}\", R\"lua(${source})lua\",\n     \"${sha1}\"},\n")
  endforeach()
  list(LENGTH ARGN count)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
// Made of src/redis/scripts by the build.
#include "redis/scripts.hpp"

#include <array>
#include <cassert>

namespace weir::redis {
namespace {

constexpr std::array<Script, @count@> scripts{{
@entries@}};

}  // namespace

std::span<const Script> all_scripts() noexcept { return scripts; }

const Script& script(std::string_view name) noexcept {
  for (const Script& candidate : scripts) {
    if (candidate.name == name) return candidate;
  }
  assert(false);
  return scripts[0];
}

}  // namespace weir::redis
]])
endfunction()
