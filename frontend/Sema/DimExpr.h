// Sizes as symbolic integers. A Dim is a polynomial over atoms (names of dims,
// and quotients, remainders, maxima and minima that cannot be simplified) with
// 64-bit coefficients. Equal polynomials are one object: S*H and H*S, or
// (S+1)*2 and 2*S+2, are the same pointer.
//
// Names of dims stand for sizes, so every atom that is a name is at least 0.
// That is what the sign analysis builds on: S + 1 is never S, 2*S is never
// negative. Division truncates; a / 0 is 0 and a % 0 is a, as lowered code
// computes them.
//
// Operations give null where a 64-bit coefficient overflows, where something is
// divided by a constant zero, or where an expression grows beyond any use (the
// limits keep every operation fast and every recursion shallow); `problem()`
// says which, and the caller reports it.
#ifndef AGT_FRONTEND_SEMA_DIMEXPR_H
#define AGT_FRONTEND_SEMA_DIMEXPR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agt::sema {

class DimExpr;
class DimContext;
/// Null means "no value": overflow, division by zero, or not known.
using Dim = const DimExpr *;

/// What cannot be taken apart further. Names have no operands.
struct DimAtom {
  enum Kind { Name, Quotient, Remainder, Max, Min };
  Kind kind = Name;
  std::string name;
  Dim lhs = nullptr;
  Dim rhs = nullptr;
  /// Creation order: the canonical order of atoms.
  unsigned id = 0;
  /// Of quotients in quotients.
  unsigned depth = 0;
  bool nonNegative = true;
};

/// A product of atoms with powers, sorted by atom id; the empty one is 1.
struct Monomial {
  llvm::SmallVector<std::pair<const DimAtom *, unsigned>, 2> factors;

  bool operator<(const Monomial &other) const;
  bool operator==(const Monomial &other) const;
  unsigned degree() const;
  bool isOne() const { return factors.empty(); }
};

class DimExpr {
public:
  /// Sorted, without zero coefficients; no term is 0.
  using Terms = std::map<Monomial, int64_t>;

  const Terms &terms() const { return polynomial; }
  std::optional<int64_t> constant() const;
  /// The name, if this is one name alone.
  const DimAtom *asName() const;
  /// As source text: "2*S + 1".
  std::string str() const;

private:
  friend class DimContext;
  explicit DimExpr(Terms terms) : polynomial(std::move(terms)) {}
  Terms polynomial;
};

enum class Relation { Equal, Different, Unknown };

/// Owns and uniques dims and atoms.
class DimContext {
public:
  DimContext() = default;
  DimContext(const DimContext &) = delete;
  DimContext &operator=(const DimContext &) = delete;

  Dim constant(int64_t value);
  Dim name(llvm::StringRef name);

  Dim add(Dim a, Dim b);
  Dim sub(Dim a, Dim b);
  Dim mul(Dim a, Dim b);
  Dim div(Dim a, Dim b);
  Dim rem(Dim a, Dim b);
  Dim max(Dim a, Dim b);
  Dim min(Dim a, Dim b);
  /// The least multiple count: (a + n - 1) / n.
  Dim ceilDiv(Dim a, int64_t n);
  /// a / b where b divides a as a polynomial, else null.
  Dim exactQuotient(Dim a, Dim b);

  /// `dim` with `valueOf(name)` for every name; null as operations are.
  Dim substitute(Dim dim, llvm::function_ref<Dim(llvm::StringRef)> valueOf);

  /// Why the last operation gave null: "integer overflow", ...
  llvm::StringRef problem() const { return lastProblem; }

  /// Whether a and b are the same number for all values of the names.
  Relation compare(Dim a, Dim b);
  /// At least 0 (above 0) for all values of the names.
  bool isNonNegative(Dim a);
  bool isPositive(Dim a);

private:
  Dim make(DimExpr::Terms terms);
  Dim opaque(DimAtom::Kind kind, Dim a, Dim b);
  Dim apply(DimAtom::Kind kind, Dim a, Dim b);
  const DimAtom *atom(DimAtom::Kind kind, llvm::StringRef name, Dim a, Dim b);
  Dim fail(llvm::StringRef problem);
  /// Splits a into c*quotient + rest by coefficients.
  void splitByConstant(Dim a, int64_t c, Dim &quotient, Dim &rest);

  std::map<DimExpr::Terms, std::unique_ptr<DimExpr>> exprs;
  using AtomKey = std::tuple<DimAtom::Kind, std::string, Dim, Dim>;
  std::map<AtomKey, std::unique_ptr<DimAtom>> atoms;
  llvm::StringRef lastProblem;
};

/// Appends every name in `dim`, also those inside quotients.
void collectNames(Dim dim, std::vector<const DimAtom *> &names);

} // namespace agt::sema

#endif
