import { textOf } from '../values/numbers'
import { dateOf } from '../values/operators'
import { DateValue, DaysValue, isTrue, needsPython, type Value } from '../values/values'
import { textFunctions, type Call } from './text-functions'
import { numberFunctions, pythonNumberFunctions } from './number-functions'

const MS = 86_400_000

function partsOf(value: Value | undefined): Date {
  return value instanceof DateValue ? new Date(value.days * MS) : needsPython()
}

/** A date of whole numbers; months and days beyond their range count on. Years below 1900 are Python's. */
const date: Call = ([year = null, month = null, day = null]) => {
  const [y, m, d] = [year, month, day].map((value) =>
    typeof value === 'bigint' && value > -100_000n && value < 100_000n
      ? Number(value)
      : needsPython(),
  ) as [number, number, number]
  return y < 1900 ? needsPython() : dateOf(Date.UTC(y, m - 1, d) / MS)
}

/** The functions that compiled formulas call, by name. */
export const functions: Readonly<Record<string, Call>> = {
  ...textFunctions,
  ...numberFunctions,
  ...pythonNumberFunctions,
  TRUE: () => true,
  FALSE: () => false,
  AND: (args) => args.every(isTrue),
  OR: (args) => args.some(isTrue),
  XOR: (args) => args.filter(isTrue).length % 2 === 1,
  NOT: ([value = null]) => !isTrue(value),
  YEAR: ([value]) => BigInt(partsOf(value).getUTCFullYear()),
  MONTH: ([value]) => BigInt(partsOf(value).getUTCMonth() + 1),
  DAY: ([value]) => BigInt(partsOf(value).getUTCDate()),
  DATE: date,
  str: ([value = '']) => textOf(value),
  bool: ([value = false]) => isTrue(value),
}

/** True for the name of a function that compiled formulas call. */
export function isFunction(name: string): boolean {
  return Object.hasOwn(functions, name)
}

/** Least and greatest number of arguments of each function: with others, Python raises an error. */
const argumentCounts: Readonly<Record<string, readonly [number, number]>> = {
  ...forAll(['PI', 'TRUE', 'FALSE'], [0, 0]),
  ...forAll(['LEFT', 'RIGHT', 'ROUND', 'ROUNDUP', 'ROUNDDOWN', 'TRUNC', 'round'], [1, 2]),
  ...forAll(['EXACT', 'MOD', 'QUOTIENT', 'REPT'], [2, 2]),
  ...forAll(['MID', 'DATE'], [3, 3]),
  ...forAll(['FIND'], [2, 3]),
  ...forAll(['SUBSTITUTE'], [3, 4]),
  ...forAll(['sum'], [1, 2]),
  ...forAll(['int', 'float', 'str', 'bool'], [0, 1]),
  ...forAll(
    ['SUM', 'PRODUCT', 'MAX', 'MIN', 'AVERAGE', 'COUNT', 'COUNTA', 'COUNTBLANK', 'max', 'min'],
    [1, Infinity],
  ),
  ...forAll(['CONCAT', 'CONCATENATE', 'AND', 'OR', 'XOR'], [1, Infinity]),
}

/** True when a function takes so many arguments. */
export function takesArguments(name: string, count: number): boolean {
  const [least, greatest] = argumentCounts[name] ?? [1, 1]
  return count >= least && count <= greatest
}

function forAll<T>(names: readonly string[], value: T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, value]))
}

/** Functions of which the argument may be a generator. */
export const takesGenerator: ReadonlySet<string> = new Set([
  ...['SUM', 'MAX', 'MIN', 'AVERAGE', 'COUNT', 'COUNTA', 'PRODUCT', 'sum', 'max', 'min'],
])

/** Attributes of dates and of their differences. */
export const dateAttributes: Readonly<Record<string, (value: Value) => Value>> = {
  year: (value) => BigInt(partsOf(value).getUTCFullYear()),
  month: (value) => BigInt(partsOf(value).getUTCMonth() + 1),
  day: (value) => BigInt(partsOf(value).getUTCDate()),
  days: (value) => (value instanceof DaysValue ? BigInt(value.days) : needsPython()),
}
