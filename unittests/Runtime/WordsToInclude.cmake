# Turns a SPIR-V file IN (little endian) into a C list of words OUT.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1u,\n" words "${hex}")
file(WRITE ${OUT} "${words}")
