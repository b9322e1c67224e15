// What the machine does where nothing is in the way, for scripts that set other
// rates against it.
//
//   machine_rates
//
// Answers lines on its standard input, each with one number on a line:
//   multiply_add SECONDS   FLOP a second of multiply-adds alone
//   read BYTES SECONDS     bytes a second of reading so many again and again
// each measured for that long, on all threads.
#include "NativeBench.h"

#include <cstdio>
#include <iostream>
#include <sstream>

using namespace agt;

int main(int argc, char **) {
  if (argc > 1)
    return std::fputs("machine_rates takes no arguments\n", stderr), 2;
  auto targets = cpu::parseTargets("native");
  if (!targets || targets->empty())
    return std::fputs("this processor runs no level of native code\n", stderr),
           5;
  bench::NativeBench native(targets->front());
  bench::MachineRates machine(native);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string what;
    int64_t bytes = 0;
    double seconds = 0;
    words >> what;
    if (what == "read")
      words >> bytes;
    if (!(words >> seconds) || seconds <= 0 ||
        (what == "read" ? bytes <= 0 : what != "multiply_add"))
      return std::fprintf(stderr,
                          "expected 'multiply_add SECONDS' or 'read BYTES "
                          "SECONDS', got '%s'\n",
                          line.c_str()),
             2;
    double rate = what == "read" ? machine.reading(bytes, seconds)
                                 : machine.multiplyAdds(seconds);
    std::printf("%.6g\n", rate);
    std::fflush(stdout);
  }
  return 0;
}
