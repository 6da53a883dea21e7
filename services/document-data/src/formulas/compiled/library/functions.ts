import { textOf } from '../values/numbers'
import { isTrue, type Value } from '../values/values'
import { dateFunctions } from './date-functions'
import { numberFunctions, pythonNumberFunctions } from './number-functions'
import { roundingFunctions } from './rounding'
import type { Call } from './text'
import { textFunctions } from './text-functions'

/** The functions that compiled formulas call, by name. */
export const functions: Readonly<Record<string, Call>> = {
  ...textFunctions,
  ...numberFunctions,
  ...pythonNumberFunctions,
  ...roundingFunctions,
  ...dateFunctions,
  TRUE: () => true,
  FALSE: () => false,
  AND: (args) => args.every(isTrue),
  OR: (args) => args.some(isTrue),
  XOR: (args) => args.filter(isTrue).length % 2 === 1,
  NOT: ([value = null]) => !isTrue(value),
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
  ...forAll(['int', 'float', 'str', 'bool'], [0, 1]),
  ...forAll(['LEFT', 'RIGHT', 'ROUND', 'ROUNDUP', 'ROUNDDOWN', 'TRUNC', 'round'], [1, 2]),
  ...forAll(['CEILING', 'FLOOR', 'DOLLAR', 'WEEKDAY', 'WEEKNUM', 'sum'], [1, 2]),
  ...forAll(['FIXED'], [1, 3]),
  ...forAll(['DATEADD'], [1, 5]),
  ...forAll(['EXACT', 'MOD', 'QUOTIENT', 'REPT', 'MROUND', 'POWER', 'LARGE', 'SMALL'], [2, 2]),
  ...forAll(['DAYS', 'EDATE', 'EOMONTH', 'NETWORKDAYS'], [2, 2]),
  ...forAll(['FIND', 'SEARCH'], [2, 3]),
  ...forAll(['SPLIT'], [2, 4]),
  ...forAll(['MID', 'DATE', 'DATEDIF'], [3, 3]),
  ...forAll(['SUBSTITUTE'], [3, 4]),
  ...forAll(['REPLACE'], [4, 4]),
  ...forAll(['SUM', 'PRODUCT', 'MAX', 'MIN', 'AVERAGE', 'COUNT', 'COUNTA'], [1, Infinity]),
  ...forAll(['COUNTBLANK', 'SUMPRODUCT', 'SUMSQ', 'MEDIAN', 'max', 'min'], [1, Infinity]),
  ...forAll(['CONCAT', 'CONCATENATE', 'AND', 'OR', 'XOR'], [1, Infinity]),
  ...forAll(['JOIN'], [2, Infinity]),
  ...forAll(['TEXTJOIN'], [3, Infinity]),
}

/** Parameters that are also given by name, in their order from the first one on, with their defaults. */
const parameters: Readonly<Record<string, readonly (readonly [string, Value])[]>> = {
  DATEADD: [
    ['start_date', null],
    ['days', 0n],
    ['months', 0n],
    ['years', 0n],
    ['weeks', 0n],
  ],
  // `reverse` is given by name alone.
  sorted: [
    ['', null],
    ['reverse', false],
  ],
}

/** The parameters of a function that are given by name. */
export function parametersOf(name: string): readonly (readonly [string, Value])[] {
  return parameters[name] ?? []
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
  ...['any', 'all', 'sorted', 'list', 'tuple', 'MEDIAN', 'SUMSQ'],
])
