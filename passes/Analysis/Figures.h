// Numbers for people to read, as plans and remarks give them. Plain C++, no IR.
#ifndef AGT_PASSES_ANALYSIS_FIGURES_H
#define AGT_PASSES_ANALYSIS_FIGURES_H

#include <string>

namespace agt::analysis {

/// At most two digits behind the point, none that say nothing: "0.5", "3".
std::string plainText(double value);
/// In units of a thousand: "12 B", "3.07 KB", "1.5 GB".
std::string bytesText(double bytes);
/// "850 ns", "1.2 ms", "3 s".
std::string secondsText(double seconds);
/// A whole number in groups of three: "65,536".
std::string countText(double value);

} // namespace agt::analysis

#endif // AGT_PASSES_ANALYSIS_FIGURES_H
