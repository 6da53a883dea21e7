import type { AppError } from '@sheaf/kit/errors'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { addColumns, readText } from './test-store'

/** Adds a row of table T for each value of its column A. */
export function addValues(
  store: DocumentStore,
  docId: string,
  ...values: string[]
): Promise<unknown> {
  return addColumns(store, docId, 'T', new Map([['A', values]]))
}

/** The records of table T, as JSON. */
export function readRecords(store: DocumentStore, docId: string): Promise<string> {
  return readText(store, docId, { tableId: 'T' })
}

export async function countRows(store: DocumentStore, docId: string): Promise<number> {
  const { records } = JSON.parse(await readRecords(store, docId)) as { records: unknown[] }
  return records.length
}

/** The reason of the error with which a write fails. */
export function outcomeOf(writing: Promise<unknown>): Promise<string> {
  return writing.then(
    () => 'written',
    (error: AppError) => error.reason,
  )
}
