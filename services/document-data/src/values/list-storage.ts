import { quoteText } from '../quoting/quote'
import type { Cell, StoredValue } from './column-type'
import { TAG, isTaggedSql, tagListText, untag, untaggedSql } from './tagged-text'

/** Stored form of a list: JSON text, null for an empty list. */
export function storedList(items: readonly unknown[]): StoredValue {
  return items.length === 0 ? null : JSON.stringify(items)
}

/** Stored form of text in a list column. */
export function storedListText(text: string): StoredValue {
  return tagListText(text)
}

/** Converts a stored value of a list column to its cell. */
export function listFromStored(value: StoredValue): Cell {
  if (typeof value !== 'string') return typeof value === 'bigint' ? Number(value) : value
  if (value.startsWith('[')) return ['L', ...(JSON.parse(value) as unknown[])]
  return value.startsWith(TAG) ? untag(value) : value
}

/** SQL value of a list column: the coded list, null for an empty list, or kept text. */
export function listJsonSql(column: string): string {
  return caseSql(column, { list: `json('["L",'||substr(${column},2))` })
}

/** SQL value of a list column with empty lists written as lists. */
export function typedListJsonSql(column: string): string {
  return caseSql(column, {
    list: `json('["L",'||substr(${column},2))`,
    none: `json('["L"]')`,
  })
}

/** SQL value of a list of row ids as a coded reference to rows of the table, including empty lists. */
export function referencesJsonSql(table: string): (column: string) => string {
  const name = quoteText(table)
  return (column) =>
    caseSql(column, {
      list: `json_array('r',${name},json(${column}))`,
      none: `json_array('r',${name},json('[]'))`,
    })
}

/** The range condition detects a leading `[` without a function call per row. */
function caseSql(column: string, { list, none }: { list: string; none?: string }): string {
  return (
    `CASE WHEN ${column}>='[' AND ${column}<'\\' THEN ${list} ` +
    `WHEN ${isTaggedSql(column)} THEN ${untaggedSql(column)} ` +
    `${none === undefined ? '' : `WHEN ${column} IS NULL THEN ${none} `}ELSE ${column} END`
  )
}

/** Parses text as a JSON list; undefined for other text. */
export function readJsonList(text: string): unknown[] | undefined {
  if (!/^\s*\[/.test(text)) return undefined
  try {
    const list = JSON.parse(text) as unknown
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}

/**
 * Splits text at commas and newlines. Items are trimmed, blank items are dropped, and quoted items may
 * contain commas.
 */
export function splitItems(text: string): string[] {
  const items: string[] = []
  const pattern = /\s*(?:"((?:[^"]|"")*)"[^\S\r\n]*(?=[,\r\n]|$)|([^,\r\n]*))(?:[,\r\n]|$)/y
  while (pattern.lastIndex < text.length) {
    const start = pattern.lastIndex
    const match = pattern.exec(text)
    if (!match || pattern.lastIndex === start) break
    const item = match[1]?.replace(/""/g, '"').trim() ?? match[2]?.trim() ?? ''
    if (item !== '') items.push(item)
  }
  return items
}
