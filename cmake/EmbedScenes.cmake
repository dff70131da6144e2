# Writes the scenes of FOLDER as a C file, so that the program carries them: cmake -DFOLDER= -DARRAY= -DOUT= -P this.
# A scene's first line is a comment that describes it. Text goes in as numbers: string literals have a length limit.
file(GLOB scenes ${FOLDER}/*.yaml)
list(SORT scenes)
set(arrays "")
set(rows "")
set(index 0)
foreach(scene ${scenes})
  get_filename_component(name ${scene} NAME_WE)
  file(STRINGS ${scene} first LIMIT_COUNT 1)
  if(NOT first MATCHES "^# ")
    message(FATAL_ERROR "${scene}: the first line must be a comment that describes the scene")
  endif()
  string(SUBSTRING "${first}" 2 -1 summary)
  string(REPLACE "\\" "\\\\" summary "${summary}")
  string(REPLACE "\"" "\\\"" summary "${summary}")
  file(READ ${scene} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const char scene_${index}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", \"${summary}\", scene_${index}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUT} "// Generated from ${FOLDER} by cmake/EmbedScenes.cmake.
#include \"experiment/gallery.h\"

${arrays}
const SnGalleryScene ${ARRAY}[] = {
${rows}    {0},
};
")
