import fc from 'fast-check'
import type { Cell } from '../../src/values/column-type'
import { text } from './random-formulas'
import { libraryCalls, type Kind } from './random-library-calls'

/** Columns of the table of formulas, by type; each has cells at the edges of its type. */
export const columns: Readonly<Record<string, string>> = {
  N: 'Numeric',
  M: 'Numeric',
  I: 'Int',
  J: 'Int',
  T: 'Text',
  U: 'Text',
  B: 'Bool',
  D: 'Date',
  E: 'Date',
  A: 'Any',
  C: 'ChoiceList',
  R: 'Ref:Other',
  L: 'RefList:Other',
  X: 'DateTime',
  Y: 'DateTime:America/New_York',
  Z: 'DateTime:Europe/Berlin',
}

const numbers = [
  ...[0, 1, -1, 2, 3, 7, -7, 0.1, 0.5, 2.5, -2.5, 0.125, 2.675, 1e-5, 123456.789, -0.3],
  ...[1e15, 1e16, 123456789012345680, 1e22, 1.5e300, 2 ** 53, null, 'odd'],
]
const integers = [0, 1, -1, 2, 3, 7, -7, 10, 100, 2147483647, -2147483648, null, 'odd']
const texts = [
  ...['', 'a', 'abc', 'Abc', ' x ', '12', '1.5', '-3', 'true', 'No', 'a,b,a', 'é', '😀a', 'aaaa'],
  ...[null, 'Straße', '  two  words ', '\t', '1e3', 'nan'],
]
const days = [0, 1, 59, 365, 11016, 19782, -1, -25567, 47482].map((day) => day * 86_400)

/** Changes of the clock in Berlin, New York and on Lord Howe, where they are half an hour, with times around them. */
const changes = [1711846800, 1729990800, 1710054000, 1730613600, 1712415600, 1728142200].flatMap(
  (change) => [-3_600, -1_800, -1, 0, 1_799, 3_600].map((seconds) => change + seconds),
)
const moments = [...changes, 0, -1, -3e9, 4e9, 2e10, -6.2e10, 1e9 + 0.5, null, 'odd']

/** Random cells of one row. */
export const cells = fc.record<Record<string, Cell>>({
  N: fc.constantFrom<Cell>(...numbers),
  M: fc.constantFrom<Cell>(...numbers),
  I: fc.constantFrom<Cell>(...integers),
  J: fc.constantFrom<Cell>(...integers),
  T: fc.constantFrom<Cell>(...texts),
  U: fc.constantFrom<Cell>(...texts),
  B: fc.constantFrom<Cell>(true, false, null, 'odd'),
  D: fc.constantFrom<Cell>(...days, null, 'odd'),
  E: fc.constantFrom<Cell>(...days, null),
  A: fc.constantFrom<Cell>(1, 2.5, -3, 'a', '', null, true, false, 3_000_000_000, ['L', 1]),
  C: fc.constantFrom<Cell>(['L', 'a'], ['L', 'a', 'abc'], null, ['L', 'b', 'é']),
  R: fc.constantFrom<Cell>(0, 1, 2, 3, 4, 9),
  X: fc.constantFrom<Cell>(...moments),
  Y: fc.constantFrom<Cell>(...moments),
  Z: fc.constantFrom<Cell>(...moments),
  L: fc.constantFrom<Cell>(['L', 1], ['L', 1, 2, 3], ['L', 4, 2], null),
})

const of = (...values: string[]) => fc.constantFrom(...values)

/** The order of a lookup, mostly of what is compiled. */
const order = of(
  ...[
    '"V"',
    '"-V"',
    '"W"',
    '"-K"',
    '"K"',
    '"-B"',
    '"A"',
    '"-A"',
    '"R"',
    '"D"',
    '"-M"',
    '"-id"',
    '"id"',
  ],
  ...[
    '("K", "-W")',
    '("-B", "V")',
    '("A", "-id")',
    '("R",)',
    '("-D", "K", "W")',
    'None',
    '"X"',
    '"S"',
  ],
)
const sorting = text`${of('order_by', 'order_by', 'sort_by')}=${order}`
const field = of('V', 'W', 'K', 'R.K', 'id', 'A', 'D')

const clock = of(
  ...['"%H:%M"', '"%Y-%m-%d %H:%M:%S"', '"%I:%M %p"', '"%j %A"', '"%d.%m.%y"', '"%z"', '"%B %Z"'],
)
const formats = of('%H:%M', '%Y', '', '>30')

const { any, number } = fc.letrec<Record<Kind | 'moment', string>>((tie) => {
  const kinds = { any: tie('any'), number: tie('number'), string: tie('string') }
  const calls = libraryCalls({
    ...kinds,
    truth: tie('truth'),
    date: tie('date'),
    list: tie('list'),
  })
  const [a, n, s, t, d] = [tie('any'), tie('number'), tie('string'), tie('truth'), tie('date')]
  const m = tie('moment')
  const deep = { maxDepth: 3, depthIdentifier: 'compiled' }
  return {
    number: fc.oneof(
      deep,
      of('$N', '$M', '$I', '$J', '$B', '$A', '0', '1', '2', '3', '-1', '0.5', '10', '1e3', '$id'),
      of('$N', '$M', '$I', '$J', '$R.V', '$R.W', '$R.R.V'),
      text`(${n} ${of('+', '-', '*', '/', '//', '%')} ${n})`,
      text`${n} ${of('+', '-', '*')} ${n} ${of('+', '*', '/', '%')} ${n}`,
      text`-${n} ** ${of('0', '1', '2', '3')}`,
      text`(${of('-', '+')}${n})`,
      text`${of('ABS', 'SIGN', 'INT', 'ROUND', 'TRUNC', 'abs', 'round', 'int', 'float', 'SQRT', 'N')}(${n})`,
      text`${of('ROUND', 'ROUNDUP', 'ROUNDDOWN', 'TRUNC')}(${n}, ${of('0', '1', '2', '3', '-1', '$I')})`,
      text`${of('MOD', 'QUOTIENT', 'max', 'min')}(${n}, ${n})`,
      text`${of('SUM', 'MAX', 'MIN', 'AVERAGE', 'PRODUCT', 'COUNT', 'COUNTA', 'COUNTBLANK')}(${a}, ${n})`,
      text`${of('SUM', 'MAX', 'MIN', 'AVERAGE', 'COUNT')}($L.${of('V', 'W', 'K')})`,
      text`${of('SUM', 'MAX', 'AVERAGE', 'sum', 'max', 'min')}(r.${of('V', 'W')} * ${n} for r in $L if r.${of('V', 'W', 'K')})`,
      text`${of('len', 'LEN')}(${of('$T', '$C', '$U', '$L')})`,
      text`len(Other.lookupRecords(${tie('any').map((value) => `K=${value}`)}))`,
      text`SUM(Other.lookupRecords(${of('V', 'W', 'B')}=${n}).${of('V', 'W')})`,
      text`Other.lookupOne(${of('K', 'W', 'A')}=${a}).${of('V', 'W', 'K')}`,
      text`${of('SUM', 'COUNT', 'AVERAGE', 'sum', 'len', 'MAX')}(Other.lookupRecords(${of('K', 'B', 'R')}=${of('$T', '$B', '$R')}).${of('V', 'W')})`,
      text`${of('SUM', 'COUNT', 'AVERAGE', 'len')}(Other.all.${of('V', 'W', 'K')})`,
      text`len(Other.${of('all', 'lookupRecords()')}.id)`,
      text`len(Other.${of('all', 'lookupRecords()')})`,
      text`Other.lookupOne(${of('K', 'W', 'A')}=${a}, ${sorting}).${field}`,
      text`Other.lookupOne(${sorting}).${field}`,
      text`len(Other.lookupRecords(${of('S', 'S', 'Q')}=CONTAINS(${tie('any')})))`,
      text`SUM(Other.lookupRecords(${of('K=$T, ', '')}Q=CONTAINS(${of('$R', '$I', '2', '$B', 'rec')})).V)`,
      text`${s}.${of('find', 'count')}(${s})`,
      text`FIND(${s}, ${s})`,
      text`${of('YEAR', 'MONTH', 'DAY')}(${d})`,
      text`(${d} - ${d}).days`,
      text`${d}.${of('year', 'month', 'day')}`,
      text`${of('YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND', 'WEEKDAY', 'WEEKNUM', 'ISOWEEKNUM', 'N', 'COUNT')}(${m})`,
      text`(${m} - ${m}).${of('days', 'seconds', 'total_seconds()')}`,
      text`${m}.${of('year', 'day', 'hour', 'minute', 'second', 'weekday()', 'timestamp()')}`,
      text`DATEDIF(${m}, ${d}, ${of('"D"', '"M"', '"Y"')})`,
      text`int(${s})`,
      text`float(${s})`,
      ...calls.number,
    ),
    string: fc.oneof(
      deep,
      of('$T', '$U', '"a"', '"abc"', '""', '" "', "'b'", '"12"', '$R.K', '$A', '"é"'),
      text`(${s} + ${s})`,
      text`${of('str', 'CONCAT')}(${m})`,
      text`${m}.${of('isoformat()', 'date().isoformat()')}`,
      text`${m}.strftime(${clock})`,
      text`f"{${of('$X', '$Y', '$Z')}:${formats}}"`,
      text`"%s, %s" % (${m}, ${a})`,
      text`str(${a})`,
      text`${of('UPPER', 'LOWER', 'TRIM', 'T')}(${s})`,
      text`${of('LEFT', 'RIGHT')}(${s}, ${of('0', '1', '2', '-1', '$I')})`,
      text`MID(${s}, ${of('0', '1', '2')}, ${of('0', '1', '9')})`,
      text`${s}.${of('upper', 'lower', 'strip', 'lstrip', 'rstrip')}()`,
      text`${s}.replace(${s}, ${s})`,
      text`SUBSTITUTE(${s}, ${s}, ${s})`,
      text`${s}[${of('0', '1', '-1', '0:2', '1:', ':-1', '-2:')}]`,
      text`CONCAT(${a}, ${a})`,
      text`f"<{${a.map((value) => value.replaceAll('"', "'"))}}>"`,
      text`REPT(${s}, ${of('0', '2', '-1')})`,
      text`", ".join(${s}.split(","))`,
      text`", ".join($L.K)`,
      ...calls.string,
    ),
    truth: fc.oneof(
      deep,
      of('$B', 'True', 'False', '$N', '$T', '$R', '$L', '$D', 'not $C'),
      text`(${n} ${of('<', '<=', '>', '>=', '==', '!=')} ${n})`,
      text`(${n} < ${n} <= ${n})`,
      text`(${s} ${of('<', '==', '!=', 'in', 'not in')} ${s})`,
      text`(${d} ${of('<', '==', '>=')} ${d})`,
      text`(${m} ${of('<', '<=', '==', '>', '!=')} ${m})`,
      text`(${m} - ${m} ${of('<', '==')} ${d} - ${d})`,
      text`(${m} ${of('<', '==')} ${d})`,
      text`(${a} == ${a})`,
      text`(${a} is ${of('None', 'not None')})`,
      text`(${t} ${of('and', 'or')} ${t})`,
      text`(not ${t})`,
      text`not ${a} and ${t}`,
      text`${of('AND', 'OR', 'XOR')}(${t}, ${a})`,
      text`${of('NOT', 'ISNUMBER', 'ISTEXT', 'ISLOGICAL', 'ISBLANK', 'bool')}(${a})`,
      text`"a" in $C`,
      text`$R in $L`,
      text`$T.${of('startswith', 'endswith')}(${s})`,
      ...calls.truth,
    ),
    date: fc.oneof(
      deep,
      of('$D', '$E', '$D'),
      text`DATE(${of('2020', '1999', '12', '$I')}, ${of('1', '13', '0')}, ${of('1', '31', '400')})`,
      text`($D + ($E - $D))`,
      text`(${d} ${of('+', '-')} (${m} - ${m}))`,
      text`${m}.date()`,
      text`${of('EDATE', 'EOMONTH', 'DATEADD')}(${m}, ${of('0', '1', '-13')})`,
      ...calls.date,
    ),
    moment: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'compiled' },
      of('$X', '$Y', '$Z', '$Z'),
      text`(${m} ${of('+', '-')} (${d} - ${d}))`,
      text`(${m} ${of('+', '-')} (${m} - ${m}))`,
    ),
    list: fc.oneof({ maxDepth: 2, depthIdentifier: 'compiled' }, ...calls.list),
    any: fc.oneof(
      deep,
      n,
      s,
      t,
      d,
      m,
      tie('list'),
      text`${of('MAX', 'MIN', 'max')}(${m}, ${of('$X', '$Z', '$D', '$N')})`,
      text`sorted([${m}, ${m}])`,
      text`IF(${t}, ${a}, ${a})`,
      text`(${a} if ${t} else ${a})`,
      text`IFERROR(${a}, ${a})`,
      text`(${a} ${of('and', 'or')} ${a})`,
      of(
        'None',
        '$R',
        '$L',
        '$C',
        'Other.lookupOne(K=$T)',
        'Other.lookupRecords(W=$I)',
        'Other.all',
      ),
      text`Other.lookupRecords(${of('B=$B, ', 'A=$A, ', '', '')}${sorting})`,
      text`[r.${field} for r in Other.lookupRecords(${of('R=$R, ', '', '')}${sorting})]`,
      text`Other.lookupRecords(S=CONTAINS(${s}), ${sorting})`,
    ),
  }
})

const sign = of('+=', '+=', '-=', '*=', '/=', '//=', '%=')
const errors = of(
  ...[
    'ZeroDivisionError',
    'ArithmeticError',
    'Exception',
    'ValueError',
    'TypeError',
    '(KeyError, TypeError)',
  ],
  ...['(ZeroDivisionError, ValueError)', 'IndexError', 'Missing', 'OverflowError', 'StopIteration'],
)
const statements = fc.oneof(
  text`x = ${any}\nif x:\n  return ${any}\nelif $B:\n  x = ${any}\nx`,
  text`x = ${of('0', '0.5', '""', '[]', '$N')}\nfor r in ${of('$L', 'Other.lookupRecords(W=$I)')}:\n  x ${sign} ${of('r.V', 'r.W', 'r.K', 'r.R.V', '1', '[r.V]')}\n  if r.B:\n    x ${sign} ${number}\nx`,
  text`x = $N\nfor v in ${of('$C', '[1, $I, $N]', '$L.V', '$T', '$R')}:\n  if v == ${any}:\n    return ${any}\n  x ${sign} v\nx`,
  text`n = 0\nx = ${of('0', '""', '$N')}\nwhile n < ${of('5', '$I', '$id % 7', 'len($T)')}:\n  n += 1\n  if n > 20:\n    return ${any}\n  if ${any}:\n    ${of('break', 'continue', 'x = n')}\n  x += n\nx`,
  text`x = 0\nfor r in ${of('Other.all', '$L', '[1, $I, $N]')}:\n  for q in ${of('[1, 2]', '$L', '$C')}:\n    if ${any}: ${of('break', 'continue', 'return x')}\n    x += 1\n  if x > ${number}:\n    ${of('break', 'continue')}\n  x += 10\nx`,
  text`try:\n  x = ${of('$A', '$N', '$R.Z', '1')} / ${number}\nexcept ${errors}:\n  x = ${any}\n${of('', 'except ZeroDivisionError:\n  x = -1\n', 'except (ValueError, ArithmeticError):\n  x = -2\n', 'except:\n  return 5\n')}x`,
  text`try:\n  x = ${any}\n  y = ${number} / ${number}\nexcept${of('', ' Exception')}:\n  x = ${any}\nx`,
  text`for r in $L:\n  y = r.V\nr.K or y`,
)

/** A random formula of what is compiled, and of what is left to Python for some values. */
export const compiledFormula = fc.oneof(
  { weight: 9, arbitrary: any },
  { weight: 2, arbitrary: statements },
)

/** A random type of a formula column. */
export const resultType = fc.constantFrom(
  ...['Any', 'Any', 'Any', 'Text', 'Numeric', 'Int', 'Bool', 'Date', 'Choice', 'ChoiceList'],
  ...['Ref:Other', 'RefList:Other', 'DateTime', 'DateTime:America/New_York'],
)
