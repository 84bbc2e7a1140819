# Writes Lua scripts into a C++ source: weir_embed_scripts(OUTPUT SCRIPT...). A script is a file,
# or several that are put together: `states+log+decide` is named decide. Comments, blank lines and
# indentation stay behind.
function(weir_embed_scripts output)
  set(entries "")
  foreach(script IN LISTS ARGN)
    set(source "")
    string(REPLACE "+" ";" parts ${script})
    list(GET parts -1 name)
    foreach(part_name IN LISTS parts)
      set(file ${CMAKE_CURRENT_SOURCE_DIR}/scripts/${part_name}.lua)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
      file(READ ${file} part)
      string(APPEND source "${part}\n")
    endforeach()
    string(REGEX REPLACE "(^|\n)[ \t]*--[^\n]*" "\\1" source "${source}")
    string(REGEX REPLACE "[ \t]+-- [^\n]*" "" source "${source}")
    string(REGEX REPLACE "\n[ \t\n]+" "\n" source "${source}")
    string(STRIP "${source}" source)
    string(SHA1 sha1 "${source}")
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
