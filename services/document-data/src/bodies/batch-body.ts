import { AppError } from '@sheaf/kit/errors'
import { findNearMiss } from '@sheaf/kit/near-miss'
import { shorten } from '@sheaf/kit/truncate-text'
import { readJson } from '../json/read-json'
import type { BatchOperation, RecordsOperation } from '../store/batch/operations'
import { readRecordsOperation } from './batch-records'
import { readStructureOperation, structureOperations } from './batch-structure'
import { invalidPayload, isObject } from './record-columns'

/** Bounds the work of one request, all of which runs in one transaction. */
const MAX_OPERATIONS = 1_000
/** The same for operations on tables and columns: after each of them the whole schema is read anew. */
const MAX_STRUCTURE_OPERATIONS = 100
/** Rows that all operations of a request name together. */
const MAX_ROWS = 50_000

const recordsOperations: readonly RecordsOperation['op'][] = [
  'addRecords',
  'updateRecords',
  'addOrUpdateRecords',
  'deleteRecords',
]

/**
 * Reads `{"operations":[{"op":name,…},…]}`. Throws AppError `invalid`: MALFORMED_JSON; INVALID_PAYLOAD, INVALID_COLUMN
 * or INVALID_VALUE with the location of the fault; UNKNOWN_OPERATION; TOO_MANY_OPERATIONS.
 */
export function readBatch(json: Uint8Array): BatchOperation[] {
  const body = readJson(json, 'body')
  if (!isObject(body)) throw invalidPayload('body is not an object')
  const unknown = Object.keys(body).find((name) => name !== 'operations')
  if (unknown !== undefined) throw invalidPayload(`body.${shorten(unknown)} is unknown`)
  const { operations } = body
  if (!Array.isArray(operations)) throw invalidPayload('body.operations is not an array')
  if (operations.length > MAX_OPERATIONS) throw tooMany(`${MAX_OPERATIONS} operations`)
  const named = new Set<string>()
  let rows = 0
  let structural = 0
  return operations.map((operation: unknown, index) => {
    const path = `operations[${index}]`
    if (!isObject(operation)) throw invalidPayload(`${path} is not an object`)
    if (Array.isArray(operation.records)) rows += operation.records.length
    if (rows > MAX_ROWS) throw tooMany(`${MAX_ROWS} records in all operations`)
    const name = recordsOperations.find((one) => one === operation.op)
    if (name) return readRecordsOperation({ name, operation, path, named })
    if (++structural > MAX_STRUCTURE_OPERATIONS)
      throw tooMany(`${MAX_STRUCTURE_OPERATIONS} operations on tables and columns`)
    return readStructureOperation(operation, path) ?? refuse(operation.op, path)
  })
}

function refuse(op: unknown, path: string): never {
  if (typeof op !== 'string') throw invalidPayload(`${path}.op is not a string`)
  const { hint, details } = findNearMiss(op, [...recordsOperations, ...structureOperations])
  const message = `${path}.op: unknown operation "${shorten(op)}"${hint}`
  throw new AppError('invalid', 'UNKNOWN_OPERATION', message, details)
}

function tooMany(what: string): AppError {
  return new AppError('invalid', 'TOO_MANY_OPERATIONS', `a batch must not have more than ${what}`)
}
