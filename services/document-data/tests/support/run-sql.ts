import type { RoleName } from '@sheaf/auth/roles'
import { RunSqlRequest, type RunSqlResponse } from '@sheaf/protos/sheaf/document_data/v1/sql'
import type { TestClients } from './test-instance'

/** A statement and what goes with it. */
export interface TestStatement extends Partial<
  Pick<RunSqlRequest, 'timeoutMs' | 'format' | 'options'>
> {
  readonly args?: unknown
  readonly role?: RoleName
  /** The caller; by default the user of all other calls. */
  readonly userId?: number
  readonly signal?: AbortSignal
}

/** What a statement answered. */
export interface SqlBytes {
  readonly first: RunSqlResponse | undefined
  readonly bytes: Buffer
  readonly messages: number
}

/** Bytes of the result of a statement, and what the first message told. */
export async function runSqlBytes(
  clients: TestClients,
  docId: string,
  sql: string,
  { args, role = 'viewers', userId, signal, ...rest }: TestStatement = {},
): Promise<SqlBytes> {
  const argsJson = Buffer.from(args === undefined ? '' : JSON.stringify(args))
  const request = RunSqlRequest.fromPartial({ docId, sql, argsJson, ...rest })
  const chunks: Buffer[] = []
  const call = {
    ...(await clients.as(docId, role, userId === undefined ? {} : { userId })),
    signal,
  }
  let first: RunSqlResponse | undefined
  for await (const message of clients.sql.runSql(request, call)) {
    first ??= message
    chunks.push(message.chunk)
  }
  return { first, bytes: Buffer.concat(chunks), messages: chunks.length }
}

/** The fields of all rows of a statement. */
export async function runSql(
  clients: TestClients,
  docId: string,
  sql: string,
  statement: TestStatement = {},
): Promise<Record<string, unknown>[]> {
  const { bytes } = await runSqlBytes(clients, docId, sql, statement)
  const result = JSON.parse(bytes.toString()) as {
    statement: string
    records: { fields: Record<string, unknown> }[]
  }
  expect(result.statement).toBe(sql)
  return result.records.map(({ fields }) => fields)
}
