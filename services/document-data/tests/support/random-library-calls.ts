import fc from 'fast-check'
import { text } from './random-formulas'

/** Kinds of expressions. */
export type Kind = 'any' | 'number' | 'string' | 'truth' | 'date' | 'list'

const of = (...values: string[]) => fc.constantFrom(...values)
const small = of('0', '1', '2', '3', '-1', '5', '$I')
const months = of('0', '1', '-1', '12', '25', '-25', '$J')
const unit = of('"D"', '"M"', '"Y"', '"MD"', '"YM"', '"YD"', '"X"')
const numberSpec = of(
  ...['.2f', ',', '.0f', '>8', '05d', '+.1f', ',.2f', '<6', '^9', '*^9', '08.2f', 'd', '.1%'],
  ...['.3', 'e', '_', '6', '010', '-5', ' d', '0<6', '=+7', 's', 'f', '%', 'x', ',d'],
)
const textSpec = of('>8', '<8', '^7', '*^7', '.2', '8.1', 's', '08', '3', 'd', '=5')
const dateSpec = of(
  ...['%Y-%m-%d', '%d.%m.%y', '%A %B', '%a %b %j', '%H:%M:%S %p', '%%', '%e', '%-d', '>12', '%x'],
)
const textArguments = of('s', '5s', '-5s', '.2s')
const numberArguments = of('d', '5d', '05d', '-4d', '+d', ' d', 'i', '.1f', 'f', '08.2f', '+.0f')

/** Expressions of each kind that use the library, formats and methods. */
export function libraryCalls(
  tie: Readonly<Record<Kind, fc.Arbitrary<string>>>,
): Readonly<Record<Exclude<Kind, 'any'>, fc.Arbitrary<string>[]>> {
  const { any: a, number: n, string: s, truth: t, date: d, list: l } = tie
  const quoted = (value: fc.Arbitrary<string>) => value.map((one) => one.replaceAll('"', "'"))
  return {
    number: [
      text`${of('CEILING', 'FLOOR', 'MROUND', 'POWER')}(${n}, ${n})`,
      text`${of('CEILING', 'FLOOR', 'EVEN', 'ODD', 'NUM')}(${n})`,
      text`round(${n}, ${of('0', '1', '2', '3', '15', '-1', 'None')})`,
      text`${of('SUMPRODUCT', 'MEDIAN', 'SUMSQ')}(${l}, ${l})`,
      text`${of('MEDIAN', 'SUM', 'sum', 'max', 'len', 'SUMSQ')}(${l})`,
      text`${of('LARGE', 'SMALL')}(${l}, ${small})`,
      text`VALUE(${s})`,
      text`CODE(${s})`,
      text`SEARCH(${s}, ${s})`,
      text`${of('FIND', 'SEARCH')}(${s}, ${s}, ${small})`,
      text`DATEDIF(${d}, ${d}, ${unit})`,
      text`${of('DAYS', 'NETWORKDAYS')}(${d}, ${d})`,
      text`${of('WEEKDAY', 'WEEKNUM')}(${d}, ${of('1', '2', '3', '11', '15', '17', '21', '4')})`,
      text`${of('WEEKDAY', 'WEEKNUM', 'ISOWEEKNUM', 'HOUR', 'MINUTE', 'SECOND', 'N')}(${d})`,
      text`${d}.${of('weekday', 'isoweekday')}()`,
      text`(${d} - ${d}).total_seconds()`,
    ],
    string: [
      text`f"${numberSpec.chain((spec) => text`{${quoted(n)}:${of(spec)}}`)}"`,
      text`f"a {${quoted(s)}:${textSpec}} {${quoted(a)}!s}"`,
      text`f"{${quoted(d)}:${dateSpec}}"`,
      text`"{:${numberSpec}} {}".format(${n}, ${a})`,
      text`"{1} {0:${textSpec}} {{}}".format(${s}, ${a})`,
      text`"${of('{}', '{0} {}', '{2}', '{', '%s')}".format(${a})`,
      text`"a %${numberArguments} %%" % ${n}`,
      text`"%${textArguments} %${numberArguments}" % (${a}, ${n})`,
      text`"%s${of('', '%s', '%', '%r', '%x')}" % ${a}`,
      text`${d}.${of('isoformat()', 'strftime("%d/%m/%Y")')}`,
      text`(${s} * ${small})`,
      text`PROPER(${s})`,
      text`CLEAN(${s})`,
      text`CHAR(${of('65', '0', '955', '128512', '-1', '$I')})`,
      text`REPLACE(${s}, ${small}, ${small}, ${s})`,
      text`SUBSTITUTE(${s}, ${s}, ${s}, ${small})`,
      text`JOIN(${s}, ${l}, ${a})`,
      text`TEXTJOIN(${s}, ${t}, ${l}, ${a})`,
      text`FIXED(${n}, ${small}${of('', ', True')})`,
      text`DOLLAR(${n}, ${small})`,
      text`${s}.${of('title', 'capitalize')}()`,
      text`${s}.${of('zfill', 'ljust', 'rjust')}(${small})`,
      text`${s}.join(${of('str', 'UPPER')}(r.${of('K', 'V')}) for r in $L)`,
      text`${of('" "', '"-"')}.join(${s}.split(${of('', '", "', '"a"')}))`,
    ],
    truth: [
      text`${of('ISERROR', 'ISERR', 'ISNA', 'ISNONTEXT', 'ISREF', 'ISREFLIST', 'ISDATE')}(${a})`,
      text`${of('ISEVEN', 'ISODD')}(${n})`,
      text`${s}.${of('isdigit', 'isalpha', 'isalnum')}()`,
      text`${of('any', 'all')}(${l})`,
      text`${of('any', 'all')}(r.${of('V', 'W', 'K')} ${of('==', '>')} ${n} for r in $L)`,
      text`(${a} in ${l})`,
    ],
    date: [
      text`DATEADD(${d}, ${of('', 'days=', 'months=', 'years=', 'weeks=')}${months})`,
      text`DATEADD(${d}, ${months}, weeks=${of('1', '-2')})`,
      text`${of('EDATE', 'EOMONTH')}(${d}, ${months})`,
    ],
    list: [
      of('$C', '$L.V', '$L.W', '$L.K', '[]', '(1,)', '[0.5, -0.0]'),
      text`[${n}, ${n}]`,
      text`(${a}, ${a}, ${a})`,
      text`[${s}]`,
      text`sorted(${l}${of('', ', reverse=True')})`,
      text`${of('list', 'tuple')}(${l})`,
      text`SPLIT(${s}, ${s}${of('', ', False', ', True, False')})`,
      text`${s}.split(${of('', '"a"', '","')})`,
      text`(${l} + ${l})`,
      text`${l}[${of('1:', ':2', '-1:')}]`,
      text`[r.${of('V', 'K')} for r in $L]`,
    ],
  }
}
