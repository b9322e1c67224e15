#include "frontend/Sema/DimExpr.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <tuple>

using namespace agt::sema;
using llvm::AddOverflow;
using llvm::MulOverflow;

//===----------------------------------------------------------------------===//
// Monomials and expressions
//===----------------------------------------------------------------------===//

bool Monomial::operator==(const Monomial &other) const {
  return factors == other.factors;
}

unsigned Monomial::degree() const {
  unsigned sum = 0;
  for (auto [atom, power] : factors)
    sum += power;
  return sum;
}

// Higher degrees first, so that constants come last in print.
bool Monomial::operator<(const Monomial &other) const {
  unsigned mine = degree(), theirs = other.degree();
  if (mine != theirs)
    return mine > theirs;
  return std::lexicographical_compare(
      factors.begin(), factors.end(), other.factors.begin(),
      other.factors.end(), [](const auto &a, const auto &b) {
        return std::make_pair(a.first->id, a.second) <
               std::make_pair(b.first->id, b.second);
      });
}

std::optional<int64_t> DimExpr::constant() const {
  if (polynomial.empty())
    return 0;
  if (polynomial.size() == 1 && polynomial.begin()->first.isOne())
    return polynomial.begin()->second;
  return std::nullopt;
}

const DimAtom *DimExpr::asName() const {
  if (polynomial.size() != 1 || polynomial.begin()->second != 1)
    return nullptr;
  const Monomial &monomial = polynomial.begin()->first;
  if (monomial.factors.size() != 1 || monomial.factors[0].second != 1)
    return nullptr;
  const DimAtom *atom = monomial.factors[0].first;
  return atom->kind == DimAtom::Name ? atom : nullptr;
}

static std::string operandText(Dim dim) {
  bool simple =
      dim->terms().size() <= 1 &&
      (dim->constant() || dim->terms().begin()->second == 1) &&
      (dim->constant() || dim->terms().begin()->first.factors.size() == 1);
  return simple ? dim->str() : "(" + dim->str() + ")";
}

static std::string atomText(const DimAtom &atom) {
  switch (atom.kind) {
  case DimAtom::Name:
    return atom.name;
  case DimAtom::Quotient:
    return operandText(atom.lhs) + "/" + operandText(atom.rhs);
  case DimAtom::Remainder:
    return operandText(atom.lhs) + "%" + operandText(atom.rhs);
  case DimAtom::Max:
    return "max(" + atom.lhs->str() + ", " + atom.rhs->str() + ")";
  case DimAtom::Min:
    return "min(" + atom.lhs->str() + ", " + atom.rhs->str() + ")";
  }
  return "";
}

static std::string monomialText(const Monomial &monomial) {
  std::string text;
  for (auto [atom, power] : monomial.factors) {
    bool compound =
        atom->kind == DimAtom::Quotient || atom->kind == DimAtom::Remainder;
    bool alone = monomial.factors.size() == 1 && power == 1;
    std::string factor = atomText(*atom);
    if (compound && !alone)
      factor = "(" + factor + ")";
    for (unsigned i = 0; i < power; ++i)
      text += (text.empty() ? "" : "*") + factor;
  }
  return text;
}

std::string DimExpr::str() const {
  if (polynomial.empty())
    return "0";
  std::string text;
  for (const auto &[monomial, coefficient] : polynomial) {
    bool negative = coefficient < 0;
    if (text.empty())
      text += negative ? "-" : "";
    else
      text += negative ? " - " : " + ";
    std::string magnitude = std::to_string(coefficient);
    if (negative)
      magnitude.erase(0, 1);
    if (monomial.isOne()) {
      text += magnitude;
      continue;
    }
    if (magnitude != "1") {
      text += magnitude + "*";
      std::string product = monomialText(monomial);
      bool quotient = product.find_first_of("/%") != std::string::npos &&
                      product.front() != '(';
      text += quotient ? "(" + product + ")" : product;
      continue;
    }
    text += monomialText(monomial);
  }
  return text;
}

void agt::sema::collectNames(Dim dim, std::vector<const DimAtom *> &names) {
  for (const auto &[monomial, coefficient] : dim->terms())
    for (auto [atom, power] : monomial.factors) {
      if (atom->kind == DimAtom::Name) {
        names.push_back(atom);
        continue;
      }
      collectNames(atom->lhs, names);
      collectNames(atom->rhs, names);
    }
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

/// Beyond these an expression is refused rather than slow.
static constexpr size_t maxTerms = 1024;
static constexpr unsigned maxDepth = 64;
static constexpr unsigned maxDegree = 64;

Dim DimContext::fail(llvm::StringRef problem) {
  lastProblem = problem;
  return nullptr;
}

static constexpr llvm::StringLiteral overflow = "integer overflow";
static constexpr llvm::StringLiteral byZero = "division by zero";
static constexpr llvm::StringLiteral tooLarge =
    "an expression of dims that is too large";

Dim DimContext::make(DimExpr::Terms terms) {
  auto found = exprs.find(terms);
  if (found != exprs.end())
    return found->second.get();
  std::unique_ptr<DimExpr> expr(new DimExpr(terms));
  return exprs.emplace(std::move(terms), std::move(expr)).first->second.get();
}

Dim DimContext::constant(int64_t value) {
  DimExpr::Terms terms;
  if (value != 0)
    terms[Monomial()] = value;
  return make(std::move(terms));
}

static unsigned depthOf(Dim dim) {
  unsigned depth = 0;
  for (const auto &[monomial, coefficient] : dim->terms())
    for (auto [atom, power] : monomial.factors)
      depth = std::max(depth, atom->depth);
  return depth;
}

static bool atomIsNonNegative(DimContext &context, const DimAtom &atom) {
  auto nonNegative = [&](Dim dim) { return context.isNonNegative(dim); };
  switch (atom.kind) {
  case DimAtom::Name:
    return true;
  case DimAtom::Quotient:
    return nonNegative(atom.lhs) && nonNegative(atom.rhs);
  case DimAtom::Remainder: // Has the sign of the dividend.
    return nonNegative(atom.lhs);
  case DimAtom::Max:
    return nonNegative(atom.lhs) || nonNegative(atom.rhs);
  case DimAtom::Min:
    return nonNegative(atom.lhs) && nonNegative(atom.rhs);
  }
  return false;
}

const DimAtom *DimContext::atom(DimAtom::Kind kind, llvm::StringRef name, Dim a,
                                Dim b) {
  auto &slot = atoms[AtomKey(kind, name.str(), a, b)];
  if (!slot) {
    slot = std::make_unique<DimAtom>();
    slot->kind = kind;
    slot->name = name.str();
    slot->lhs = a;
    slot->rhs = b;
    slot->id = atoms.size();
    slot->depth = a ? std::max(depthOf(a), depthOf(b)) + 1 : 0;
    slot->nonNegative = atomIsNonNegative(*this, *slot);
  }
  return slot.get();
}

static DimExpr::Terms single(const DimAtom *atom) {
  Monomial monomial;
  monomial.factors.push_back({atom, 1});
  return {{monomial, 1}};
}

Dim DimContext::name(llvm::StringRef name) {
  return make(single(atom(DimAtom::Name, name, nullptr, nullptr)));
}

Dim DimContext::opaque(DimAtom::Kind kind, Dim a, Dim b) {
  if (std::max(depthOf(a), depthOf(b)) >= maxDepth)
    return fail(tooLarge);
  return make(single(atom(kind, "", a, b)));
}

/// Adds coefficient * monomial to `terms`; false on overflow.
static bool addTerm(DimExpr::Terms &terms, const Monomial &monomial,
                    int64_t coefficient) {
  auto [it, fresh] = terms.try_emplace(monomial, coefficient);
  if (fresh)
    return true;
  if (AddOverflow(it->second, coefficient, it->second))
    return false;
  if (it->second == 0)
    terms.erase(it);
  return true;
}

Dim DimContext::add(Dim a, Dim b) {
  if (!a || !b)
    return nullptr;
  if (a->terms().size() < b->terms().size())
    std::swap(a, b);
  DimExpr::Terms terms = a->terms();
  for (const auto &[monomial, coefficient] : b->terms())
    if (!addTerm(terms, monomial, coefficient))
      return fail(overflow);
  if (terms.size() > maxTerms)
    return fail(tooLarge);
  return make(std::move(terms));
}

Dim DimContext::sub(Dim a, Dim b) {
  if (!a || !b)
    return nullptr;
  DimExpr::Terms terms = a->terms();
  for (const auto &[monomial, coefficient] : b->terms()) {
    auto [it, fresh] = terms.try_emplace(monomial, 0);
    if (llvm::SubOverflow(it->second, coefficient, it->second))
      return fail(overflow);
    if (it->second == 0)
      terms.erase(it);
  }
  if (terms.size() > maxTerms)
    return fail(tooLarge);
  return make(std::move(terms));
}

static Monomial product(const Monomial &a, const Monomial &b) {
  Monomial result;
  auto i = a.factors.begin(), j = b.factors.begin();
  while (i != a.factors.end() || j != b.factors.end()) {
    if (j == b.factors.end() ||
        (i != a.factors.end() && i->first->id < j->first->id)) {
      result.factors.push_back(*i++);
    } else if (i == a.factors.end() || j->first->id < i->first->id) {
      result.factors.push_back(*j++);
    } else {
      result.factors.push_back({i->first, i->second + j->second});
      ++i, ++j;
    }
  }
  return result;
}

Dim DimContext::mul(Dim a, Dim b) {
  if (!a || !b)
    return nullptr;
  if (a->terms().size() * b->terms().size() > maxTerms)
    return fail(tooLarge);
  DimExpr::Terms terms;
  for (const auto &[left, leftFactor] : a->terms())
    for (const auto &[right, rightFactor] : b->terms()) {
      int64_t coefficient;
      if (left.degree() + right.degree() > maxDegree)
        return fail(tooLarge);
      if (MulOverflow(leftFactor, rightFactor, coefficient) ||
          !addTerm(terms, product(left, right), coefficient))
        return fail(overflow);
    }
  return make(std::move(terms));
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// a / b as monomials, or nothing where b does not divide a.
static std::optional<Monomial> quotient(const Monomial &a, const Monomial &b) {
  Monomial result;
  auto j = b.factors.begin();
  for (auto [atom, power] : a.factors) {
    unsigned taken = 0;
    if (j != b.factors.end() && j->first == atom) {
      taken = j->second;
      ++j;
    }
    if (taken > power)
      return std::nullopt;
    if (power > taken)
      result.factors.push_back({atom, power - taken});
  }
  if (j != b.factors.end())
    return std::nullopt;
  return result;
}

static bool isMinOverMinusOne(int64_t a, int64_t b) {
  return a == INT64_MIN && b == -1;
}

Dim DimContext::exactQuotient(Dim a, Dim b) {
  if (!a || !b || b->terms().empty())
    return nullptr;
  if (a == b)
    return constant(1);
  if (b->terms().size() != 1)
    return nullptr;
  const auto &[divisor, factor] = *b->terms().begin();
  DimExpr::Terms terms;
  for (const auto &[monomial, coefficient] : a->terms()) {
    std::optional<Monomial> rest = quotient(monomial, divisor);
    if (!rest || isMinOverMinusOne(coefficient, factor) ||
        coefficient % factor != 0)
      return nullptr;
    terms[*rest] = coefficient / factor;
  }
  return make(std::move(terms));
}

void DimContext::splitByConstant(Dim a, int64_t c, Dim &quotient, Dim &rest) {
  DimExpr::Terms whole, left;
  for (const auto &[monomial, coefficient] : a->terms()) {
    if (int64_t part = coefficient / c)
      whole[monomial] = part;
    if (int64_t part = coefficient % c)
      left[monomial] = part;
  }
  quotient = make(std::move(whole));
  rest = make(std::move(left));
}

Dim DimContext::div(Dim a, Dim b) {
  if (!a || !b)
    return nullptr;
  if (b->terms().empty())
    return fail(byZero);
  if (Dim exact = exactQuotient(a, b))
    return exact;
  std::optional<int64_t> x = a->constant(), y = b->constant();
  if (x && y)
    return isMinOverMinusOne(*x, *y) ? fail(overflow) : constant(*x / *y);
  if (y && *y > 0 && isNonNegative(a)) {
    // (c*q + r) / c is q + r/c when nothing is negative.
    Dim whole, rest;
    splitByConstant(a, *y, whole, rest);
    if (std::optional<int64_t> r = rest->constant())
      return add(whole, constant(*r / *y));
    if (!whole->terms().empty())
      return add(whole, opaque(DimAtom::Quotient, rest, b));
  }
  return opaque(DimAtom::Quotient, a, b);
}

Dim DimContext::rem(Dim a, Dim b) {
  if (!a || !b)
    return nullptr;
  if (b->terms().empty())
    return fail(byZero);
  if (exactQuotient(a, b))
    return constant(0);
  std::optional<int64_t> x = a->constant(), y = b->constant();
  if (x && y)
    return constant(isMinOverMinusOne(*x, *y) ? 0 : *x % *y);
  if (y && *y > 0 && isNonNegative(a)) {
    Dim whole, rest;
    splitByConstant(a, *y, whole, rest);
    if (std::optional<int64_t> r = rest->constant())
      return constant(*r % *y);
    return opaque(DimAtom::Remainder, rest, b);
  }
  return opaque(DimAtom::Remainder, a, b);
}

Dim DimContext::ceilDiv(Dim a, int64_t n) {
  return div(add(a, constant(n - 1)), constant(n));
}

Dim DimContext::max(Dim a, Dim b) {
  if (!a || !b)
    return nullptr;
  Dim difference = sub(a, b);
  if (difference && isNonNegative(difference))
    return a;
  difference = sub(b, a);
  if (difference && isNonNegative(difference))
    return b;
  return opaque(DimAtom::Max, a, b);
}

Dim DimContext::min(Dim a, Dim b) {
  if (!a || !b)
    return nullptr;
  Dim difference = sub(a, b);
  if (difference && isNonNegative(difference))
    return b;
  difference = sub(b, a);
  if (difference && isNonNegative(difference))
    return a;
  return opaque(DimAtom::Min, a, b);
}

Dim DimContext::apply(DimAtom::Kind kind, Dim a, Dim b) {
  switch (kind) {
  case DimAtom::Quotient:
    return div(a, b);
  case DimAtom::Remainder:
    return rem(a, b);
  case DimAtom::Max:
    return max(a, b);
  case DimAtom::Min:
    return min(a, b);
  case DimAtom::Name:
    break;
  }
  return nullptr;
}

Dim DimContext::substitute(Dim dim,
                           llvm::function_ref<Dim(llvm::StringRef)> valueOf) {
  Dim sum = constant(0);
  for (const auto &[monomial, coefficient] : dim->terms()) {
    Dim product = constant(coefficient);
    for (auto [atom, power] : monomial.factors) {
      Dim value = atom->kind == DimAtom::Name
                      ? valueOf(atom->name)
                      : apply(atom->kind, substitute(atom->lhs, valueOf),
                              substitute(atom->rhs, valueOf));
      for (unsigned i = 0; i < power; ++i)
        product = mul(product, value);
    }
    sum = add(sum, product);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// What holds for all values
//===----------------------------------------------------------------------===//

bool DimContext::isNonNegative(Dim dim) {
  for (const auto &[monomial, coefficient] : dim->terms()) {
    if (coefficient < 0)
      return false;
    for (auto [atom, power] : monomial.factors)
      if (power % 2 == 1 && !atom->nonNegative)
        return false;
  }
  return true;
}

bool DimContext::isPositive(Dim dim) {
  auto last = dim->terms().rbegin();
  return last != dim->terms().rend() && last->first.isOne() &&
         last->second > 0 && isNonNegative(dim);
}

Relation DimContext::compare(Dim a, Dim b) {
  if (a == b)
    return Relation::Equal;
  Dim difference = sub(a, b), negated = sub(b, a);
  if (!difference || !negated)
    return Relation::Unknown;
  if (difference->constant() || isPositive(difference) || isPositive(negated))
    return Relation::Different;
  return Relation::Unknown;
}
