#include "frontend/Lower/DimLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace agt;
using namespace mlir;
using agt::sema::DimAtom;

Value DimLowering::constant(int64_t value, Location loc) {
  Value &slot = constants[value];
  if (!slot)
    slot = arith::ConstantIndexOp::create(builder, loc, value);
  return slot;
}

/// a / b and a % b, where 0 and a stand for those by 0: `arith` leaves them
/// undefined.
Value DimLowering::divide(const DimAtom &atom, Location loc) {
  bool quotient = atom.kind == DimAtom::Quotient;
  Value a = lower(atom.lhs, loc), b = lower(atom.rhs, loc);
  auto apply = [&](Value divisor) -> Value {
    if (quotient)
      return arith::DivSIOp::create(builder, loc, a, divisor);
    return arith::RemSIOp::create(builder, loc, a, divisor);
  };
  if (atom.rhs->constant())
    return apply(b);
  Value zero = constant(0, loc), one = constant(1, loc);
  Value byZero =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, b, zero);
  Value divisor = arith::SelectOp::create(builder, loc, byZero, one, b);
  return arith::SelectOp::create(builder, loc, byZero, quotient ? zero : a,
                                 apply(divisor));
}

// Quotients nest no deeper than DimContext allows.
Value DimLowering::lower(const DimAtom &atom, Location loc) {
  if (Value known = atoms.lookup(&atom))
    return known;
  Value value;
  switch (atom.kind) {
  case DimAtom::Name:
    value = lowerName(atom.name, loc);
    break;
  case DimAtom::Quotient:
  case DimAtom::Remainder:
    value = divide(atom, loc);
    break;
  case DimAtom::Max: {
    Value a = lower(atom.lhs, loc), b = lower(atom.rhs, loc);
    value = arith::MaxSIOp::create(builder, loc, a, b);
    break;
  }
  case DimAtom::Min: {
    Value a = lower(atom.lhs, loc), b = lower(atom.rhs, loc);
    value = arith::MinSIOp::create(builder, loc, a, b);
    break;
  }
  }
  return atoms[&atom] = value;
}

/// a * b; more than any size where that is beyond 64 bits, so that what is made
/// of it is refused and not wrapped.
Value DimLowering::multiply(Value a, Value b, Location loc) {
  constexpr int64_t tooMany = int64_t(1) << 56; // sums of them still fit
  Value product = arith::MulIOp::create(builder, loc, a, b);
  Value zero = constant(0, loc), one = constant(1, loc);
  Value byZero =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, b, zero);
  Value divisor = arith::SelectOp::create(builder, loc, byZero, one, b);
  Value back = arith::DivSIOp::create(builder, loc, product, divisor);
  Value same =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, back, a);
  Value whole = arith::OrIOp::create(builder, loc, byZero, same);
  Value huge = constant(tooMany, loc);
  Value small = arith::MinSIOp::create(builder, loc, product, huge);
  return arith::SelectOp::create(builder, loc, whole, small, huge);
}

/// Of two dims without a check: each is that of a tensor with fewer than 2^31
/// elements.
Value DimLowering::lower(const sema::Monomial &monomial, Location loc) {
  Value product;
  unsigned count = 0;
  for (auto [atom, power] : monomial.factors) {
    Value factor = lower(*atom, loc);
    for (unsigned i = 0; i < power; ++i) {
      ++count;
      product =
          count == 1 ? factor
          : count == 2
              ? arith::MulIOp::create(builder, loc, product, factor).getResult()
              : multiply(product, factor, loc);
    }
  }
  return product;
}

Value DimLowering::lower(sema::Dim dim, Location loc) {
  if (std::optional<int64_t> value = dim->constant())
    return constant(*value, loc);
  if (Value known = dims.lookup(dim))
    return known;
  Value sum;
  for (const auto &[monomial, coefficient] : dim->terms()) {
    Value term =
        monomial.isOne() ? constant(coefficient, loc) : lower(monomial, loc);
    // A number that people write fits times one dim.
    bool fits = coefficient == -1 ||
                (monomial.degree() == 1 && std::abs(coefficient) <= INT32_MAX);
    if (!monomial.isOne() && coefficient != 1) {
      Value times = constant(coefficient, loc);
      term = fits ? arith::MulIOp::create(builder, loc, term, times).getResult()
                  : multiply(term, times, loc);
    }
    sum =
        sum ? arith::AddIOp::create(builder, loc, sum, term).getResult() : term;
  }
  return dims[dim] = sum;
}
