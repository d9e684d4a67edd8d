"""The walker over z3 expressions: the same value as z3, exactly, in source that stays small."""

from fractions import Fraction
from functools import reduce
from typing import Any

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from latchcheck.kernel import Enum, ModelError, UnsupportedExpression, compile_expr

LIGHT = Enum("Light", ("red", "green"))
x: Any
y: Any
x, y = z3.Reals("x y")
i, j = z3.Ints("i j")
p, q = z3.Bools("p q")
light = LIGHT.const("light")


@pytest.mark.parametrize(
    ("expr", "values", "expected"),
    [
        (z3.And(p, q), {"p": True, "q": False}, False),
        (z3.And([]), {}, True),
        (z3.Or(p, q), {"p": True, "q": False}, True),
        (z3.Or([]), {}, False),
        (z3.Not(p), {"p": True}, False),
        (z3.Implies(p, q), {"p": True, "q": False}, False),
        (z3.Implies(p, q), {"p": False, "q": False}, True),
        (z3.Xor(p, q), {"p": True, "q": True}, False),
        (z3.Xor(p, q), {"p": True, "q": False}, True),
        (p == q, {"p": False, "q": False}, True),
        (p != q, {"p": False, "q": False}, False),
        (z3.If(p, x, y), {"p": True, "x": 1, "y": 2}, 1),
        (z3.If(p, x, y), {"p": False, "x": 1, "y": 2}, 2),
        (x < y, {"x": Fraction(1, 3), "y": Fraction(1, 3)}, False),
        (x <= y, {"x": Fraction(1, 3), "y": Fraction(1, 3)}, True),
        (x > y, {"x": 2, "y": Fraction(3, 2)}, True),
        (x >= y, {"x": 1, "y": Fraction(3, 2)}, False),
        (z3.Distinct(i, j, i + 1), {"i": 1, "j": 2}, False),
        (z3.Distinct(i, j, i + 1), {"i": 1, "j": 3}, True),
        (x + y - 3, {"x": 1, "y": Fraction(1, 2)}, Fraction(-3, 2)),
        (-x, {"x": 4}, -4),
        (x * z3.RealVal("1/3"), {"x": 1}, Fraction(1, 3)),
        (x / 4, {"x": 1}, Fraction(1, 4)),
        (x / -4, {"x": 1}, Fraction(-1, 4)),
        (x / y, {"x": 1, "y": 3}, Fraction(1, 3)),
        (z3.ToInt(x), {"x": Fraction(-1, 2)}, -1),
        (z3.ToReal(i) + x, {"i": 2, "x": Fraction(1, 2)}, Fraction(5, 2)),
        (z3.IsInt(x), {"x": Fraction(1, 2)}, False),
        (z3.IsInt(x), {"x": 3}, True),
        # SMT-LIB: i = n * (i div n) + (i mod n) with 0 <= i mod n < |n|.
        (i / 3, {"i": -7}, -3),
        (i % 3, {"i": -7}, 2),
        (i / -3, {"i": 7}, -2),
        (i % -3, {"i": 7}, 1),
        (i / -3, {"i": -7}, 3),
        (i % -3, {"i": -7}, 2),
        (i / j, {"i": -7, "j": -3}, 3),
        (i % j, {"i": -7, "j": -3}, 2),
        (light == LIGHT["green"], {"light": "green"}, True),
        (LIGHT.sort.recognizer(0)(light), {"light": "green"}, False),
        (z3.If(p, LIGHT["red"], light), {"p": True, "light": "green"}, "red"),
    ],
)
def test_each_operator_has_its_value(expr: Any, values: Any, expected: Any) -> None:
    """Each operator has the value that SMT-LIB gives it."""
    assert compile_expr(expr)(**values) == expected


def _numbers(depth: int) -> st.SearchStrategy[Any]:
    leaf = st.sampled_from([x, y, z3.RealVal("1/3"), z3.RealVal(-2), z3.ToReal(i)])
    if depth == 0:
        return leaf
    below = _numbers(depth - 1)
    return leaf | st.one_of(
        st.builds(lambda a, b: a + b, below, below),
        st.builds(lambda a, b: a - b, below, below),
        st.builds(lambda a: -a, below),
        st.builds(lambda a, n: a * n, below, st.sampled_from([z3.RealVal("3/2"), z3.RealVal(-1)])),
        st.builds(lambda a, n: a / n, below, st.integers(1, 4)),
        st.builds(lambda a: z3.ToReal(z3.ToInt(a) % 3), below),
        st.builds(lambda a: z3.ToReal(z3.ToInt(a) / -2), below),
        st.builds(z3.If, _truths(depth - 1), below, below),
    )


def _truths(depth: int) -> st.SearchStrategy[Any]:
    leaf = st.sampled_from([p, q, light == LIGHT["red"], z3.BoolVal(True)])
    if depth == 0:
        return leaf
    below, numbers = _truths(depth - 1), _numbers(depth - 1)
    return leaf | st.one_of(
        st.builds(z3.And, below, below),
        st.builds(z3.Or, below, below),
        st.builds(z3.Not, below),
        st.builds(z3.Implies, below, below),
        st.builds(z3.Xor, below, below),
        st.builds(lambda a, b: a == b, below, below),
        st.builds(lambda a, b: a <= b, numbers, numbers),
        st.builds(lambda a, b: a < b, numbers, numbers),
        st.builds(lambda a, b: a != b, numbers, numbers),
    )


@given(
    expr=_truths(3),
    simplified=st.booleans(),
    reals=st.tuples(*[st.fractions(-4, 4, max_denominator=6)] * 2),
    n=st.integers(-4, 4),
    a=st.booleans(),
    b=st.booleans(),
    label=st.sampled_from(LIGHT.values),
)
def test_the_compiled_value_is_the_one_z3_computes(
    *, expr: Any, simplified: bool, reals: Any, n: int, a: bool, b: bool, label: str
) -> None:
    """On random expressions, simplified by z3 or not, the Python value is the one that z3's own evaluator gives."""
    places = [(x, z3.RealVal(str(reals[0]))), (y, z3.RealVal(str(reals[1]))), (i, z3.IntVal(n)), (p, z3.BoolVal(a))]
    places += [(q, z3.BoolVal(b)), (light, LIGHT[label])]
    expected = z3.is_true(z3.simplify(z3.substitute(expr, *places)))

    compiled = compile_expr(z3.simplify(expr) if simplified else expr, ("x", "y", "i", "p", "q", "light"))

    assert compiled(x=reals[0], y=reals[1], i=n, p=a, q=b, light=label) is expected


def test_no_float_is_ever_computed() -> None:
    """A third of a sum of tenths is exact, which no binary float could hold."""
    value = compile_expr((x + x + x) / 3)(x=Fraction(1, 10))

    assert (value, type(value)) == (Fraction(1, 10), Fraction)


def test_source_is_linear_in_shared_expressions() -> None:
    """An expression doubled 60 times has 2**60 leaves as a tree and 60 lines as source."""
    doubled = reduce(lambda e, _: e + e, range(60), x)

    compiled = compile_expr(doubled)

    assert compiled(x=1) == 2**60
    assert len(compiled.source.splitlines()) < 70


def test_deep_nesting_compiles() -> None:
    """A chain of 3,000 nested choices, as a ramp of polls makes it, neither overflows a stack nor a parser."""
    ramp = reduce(lambda rest, k: z3.If(i == k, z3.RealVal(k), rest), range(3000), z3.RealVal(-1))

    compiled = compile_expr(ramp)

    assert (compiled(i=0), compiled(i=2999), compiled(i=3000)) == (0, 2999, -1)


def test_a_guarded_division_by_zero_is_passed_over() -> None:
    """A division by zero that the condition rules out does no harm, even when it is shared and computed early."""
    ratio = x / y
    expr = z3.If(y == 0, z3.RealVal(0), ratio + ratio * 2)

    assert (compile_expr(expr)(x=1, y=0), compile_expr(expr)(x=1, y=2)) == (0, Fraction(3, 2))


def test_a_division_by_zero_decides_nothing() -> None:
    """A condition that hangs on a division by zero is an error, never an arbitrary answer."""
    with pytest.raises(ModelError, match="divides by zero"):
        compile_expr(z3.And(x / y > 1, p))(x=1, y=0, p=True)


@pytest.mark.parametrize(
    ("expr", "operator"),
    [
        (x**2 > 1, r"\^"),
        (z3.Function("f", z3.RealSort(), z3.RealSort())(x), "f"),
        (z3.ForAll([x], x > y), "quantifier"),
        (z3.Length(z3.String("s")), "str.len"),
    ],
)
def test_an_unknown_operator_is_named(expr: Any, operator: Any) -> None:
    """An operator without translation is an error that names it."""
    with pytest.raises(UnsupportedExpression, match=f"operator '{operator}' has no translation"):
        compile_expr(expr)


def test_a_constant_outside_the_names_is_an_error() -> None:
    """Given names, an expression that reads another constant is refused."""
    with pytest.raises(ModelError, match="'y' is neither a variable, a choice nor a parameter"):
        compile_expr(x + y, ("x",))


def test_calling_with_wrong_names_says_which() -> None:
    """A missing and a surplus value are both named."""
    with pytest.raises(TypeError, match=r"needs a value for \['y'\], knows no \['z'\]"):
        compile_expr(x + y)(x=1, z=2)


def test_odd_names_compile() -> None:
    """Names that are no Python identifiers, or are keywords, do no harm."""
    compiled = compile_expr(z3.Real("task.1 ttl") + z3.Real("class"))

    assert compiled(**{"task.1 ttl": 1, "class": 2}) == 3
