# cmake -D INPUT=... -D OUTPUT=... -D HEADER=... -D FUNCTION=... -P embed_text.cmake
# Writes a C++ file whose function returns the bytes of a file, so that the program carries it along.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(................................................................)" "\\1\n" lines "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" lines "${lines}")
string(REGEX REPLACE "([^\n]+)" "    \"\\1\"" lines "${lines}")
file(WRITE ${OUTPUT}
     "#include \"${HEADER}\"\n\nnamespace carom::detail {\nnamespace {\n\nconstexpr char bytes[] =\n${lines};\n\n"
     "}  // namespace\n\nstd::string_view ${FUNCTION}() noexcept\n{\n    return {bytes, sizeof bytes - 1};\n}\n\n"
     "}  // namespace carom::detail\n")
