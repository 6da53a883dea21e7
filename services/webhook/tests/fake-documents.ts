import { randomUUID } from 'node:crypto'
import { AppError } from '@sheaf/kit/errors'
import { serve, startGrpcServer } from '@sheaf/kit/grpc/server'
import { openWith } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import type {
  ResolveAccessRequest,
  ResolveAccessResponse,
} from '@sheaf/protos/sheaf/directory/v1/access'
import {
  ChangesServiceService,
  type ReadChangesRequest,
  type ReadChangesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import { TablesServiceService } from '@sheaf/protos/sheaf/document_data/v1/tables'
import type { ChangeEvent, Operation } from '@sheaf/protos/sheaf/events/v1/changes'
import { createTokenAuthority } from '@sheaf/testkit/token-authority'
import { DocumentCalls } from '../src/document-calls'

/** The table of every document, and its columns. */
export const TABLE = 3
export const columnRefs = { Ready: 11, A: 12, B: 13 } as const

type Cells = Record<string, unknown>
type ColumnName = keyof typeof columnRefs

/** Rows of a part of a large entry. */
const PART_ROWS = 40

const NOTHING = Buffer.alloc(0)
const json = (value: unknown) => Buffer.from(JSON.stringify(value))

/** An entry as the change stream brings it, and as ReadChanges answers it with whole rows. */
interface FakeEntry {
  readonly sent: ChangeEvent
  readonly whole: ChangeEvent
}

interface RowEdit {
  readonly id: number
  readonly old?: Cells
  readonly now?: Cells
}

function rowOperation(
  $case: 'addRows' | 'updateRows' | 'removeRows',
  edits: readonly RowEdit[],
  columns: readonly { name: ColumnName; hasOld: boolean; hasNew: boolean }[],
): Operation {
  return {
    operation: {
      $case,
      value: {
        tableId: 'Table1',
        tableRef: TABLE,
        rowIds: edits.map(({ id }) => id),
        columns: columns.map(({ name, hasOld, hasNew }) => ({
          colId: name,
          colRef: columnRefs[name],
          oldValuesJson: hasOld ? json(edits.map(({ old }) => old?.[name])) : NOTHING,
          newValuesJson: hasNew ? json(edits.map(({ now }) => now?.[name])) : NOTHING,
        })),
      },
    },
  }
}

const allColumns = Object.keys(columnRefs) as ColumnName[]

/** A document with one table, and its log. */
export class FakeDocument {
  readonly epoch = randomUUID()
  readonly entries: FakeEntry[] = []
  /** Entries up to this one have been cut from the log. */
  cutUpTo = 0
  /** What every call to it throws. */
  error: AppError | undefined
  private readonly rows = new Map<number, Cells>()

  constructor(readonly id: string = randomUUID()) {}

  get latestSeq(): number {
    return this.entries.length
  }

  /** Adds rows as one entry; answers its seq. */
  add(...rows: (Cells & { id: number })[]): number {
    const edits = rows.map(({ id, ...cells }) => {
      const now = { Ready: false, A: '', B: 0, ...cells }
      this.rows.set(id, now)
      return { id, now }
    })
    const columns = allColumns.map((name) => ({ name, hasOld: false, hasNew: true }))
    return this.append([rowOperation('addRows', edits, columns)])
  }

  /** Changes cells of rows as one entry; answers its seq. */
  update(ids: readonly number[], cells: Cells): number {
    const edits = ids.map((id) => {
      const old = this.rows.get(id) ?? {}
      const now = { ...old, ...cells }
      this.rows.set(id, now)
      return { id, old, now }
    })
    const form = (name: ColumnName) => ({ name, hasOld: name in cells, hasNew: true })
    const changed = allColumns.filter((name) => name in cells)
    return this.append(
      [rowOperation('updateRows', edits, changed.map(form))],
      [rowOperation('updateRows', edits, allColumns.map(form))],
    )
  }

  /** Removes rows as one entry; answers its seq. */
  remove(...ids: number[]): number {
    const edits = ids.map((id) => ({ id, old: this.rows.get(id) ?? {} }))
    for (const id of ids) this.rows.delete(id)
    const columns = allColumns.map((name) => ({ name, hasOld: true, hasNew: false }))
    return this.append([rowOperation('removeRows', edits, columns)])
  }

  /** Removes a column, or the table, as one entry; answers its seq. */
  removeSchema(name?: ColumnName): number {
    const value = {
      kind: name ? 'remove_column' : 'remove_table',
      tableId: 'Table1',
      tableRef: TABLE,
      colId: name ?? '',
      colRef: name ? columnRefs[name] : 0,
      oldJson: NOTHING,
      newJson: NOTHING,
      rowIds: [],
      oldValuesJson: NOTHING,
    }
    return this.append([{ operation: { $case: 'schema', value } }])
  }

  /** An entry whose operations are as given; answers its seq. */
  append(operations: Operation[], whole = operations): number {
    const seq = this.entries.length + 1
    const head = {
      docId: this.id,
      seq,
      timeMs: 1_700_000_000_000 + seq * 1000,
      userId: 1,
      cause: 1,
      traceparent: `00-${'a'.repeat(24)}${String(seq).padStart(8, '0')}-00f067aa0ba902b7-01`,
      truncated: false,
    }
    this.entries.push({ sent: { ...head, operations }, whole: { ...head, operations: whole } })
    return seq
  }
}

/** Stands in for directory and document-data. */
export class FakeDocuments implements AsyncDisposable {
  private readonly documents = new Map<string, FakeDocument>()
  /** Calls that were answered. */
  readonly reads: ReadChangesRequest[] = []
  /** Called before a call is answered. */
  onRead: (docId: string) => Promise<void> = async () => {}

  private constructor(
    /** What calls this document-data. */
    readonly documentCalls: DocumentCalls,
    private readonly dispose: () => Promise<void>,
  ) {}

  static start(): Promise<FakeDocuments> {
    return openWith(async (closer) => {
      const authority = await createTokenAuthority()
      const handlers = {
        readChanges: (request: ReadChangesRequest) => fake.readChanges(request),
        listTables: ({ docId }: { docId: string }) => fake.listTables(docId),
      }
      const server = await startGrpcServer({
        listen: '127.0.0.1:0',
        services: [serve(ChangesServiceService, handlers), serve(TablesServiceService, handlers)],
        verifier: authority.verifier,
        log: createLogger('fake'),
      })
      closer.use(server)
      const access = {
        resolveAccess: async ({ document }: ResolveAccessRequest) => {
          const claims = { userId: 0, system: true, docId: document, role: 'owners' as const }
          const homed = {
            docId: document,
            role: 1,
            unscopedRole: 1,
            home: 'home',
            homeAddress: server.address,
          }
          const token = await authority.sign(claims)
          return {
            token,
            tokenExpiresAt: Date.now() + 30_000,
            document: homed,
          } as ResolveAccessResponse
        },
      }
      const fake = new FakeDocuments(closer.use(new DocumentCalls(access, 'key')), () =>
        closer.close(),
      )
      return fake
    })
  }

  create(): FakeDocument {
    const document = new FakeDocument()
    this.documents.set(document.id, document)
    return document
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }

  private find(docId: string): FakeDocument {
    const document = this.documents.get(docId)
    if (!document) throw new AppError('not_found', 'DOCUMENT_NOT_FOUND', 'document not found')
    if (document.error) throw document.error
    return document
  }

  private listTables(docId: string) {
    return Promise.resolve({ tables: [], seq: this.find(docId).latestSeq })
  }

  private async *readChanges(request: ReadChangesRequest): AsyncGenerator<ReadChangesResponse> {
    const { docId, afterSeq, limit, fullRows, tableRefs, tellState } = request
    this.reads.push(request)
    await this.onRead(docId)
    const { entries, cutUpTo, latestSeq, epoch } = this.find(docId)
    if (afterSeq < cutUpTo) {
      const metadata = { oldestSeq: String(cutUpTo + 1) }
      throw new AppError('precondition', 'CHANGES_CUT', 'the log does not reach back', metadata)
    }
    if (tellState) yield { change: undefined, continued: false, latestSeq, etag: '', epoch }
    for (const { sent, whole } of entries.slice(
      afterSeq,
      limit > 0 ? afterSeq + limit : undefined,
    )) {
      const change = fullRows ? whole : sent
      const operations = change.operations
        .filter(({ operation }) => tableRefs.includes(operation?.value.tableRef ?? 0))
        .flatMap(inParts)
      const parts = operations.length > 0 ? operations.map((operation) => [operation]) : [[]]
      for (const [i, part] of parts.entries()) {
        const continued = i < parts.length - 1
        yield {
          change: { ...change, operations: part },
          continued,
          latestSeq,
          etag: '',
        }
      }
    }
  }
}

/** A change of many rows, divided. */
function inParts({ operation }: Operation): Operation[] {
  if (!operation || operation.$case === 'schema') return [{ operation }]
  const { rowIds, columns } = operation.value
  const starts = Array.from(
    { length: Math.ceil(rowIds.length / PART_ROWS) },
    (_, i) => i * PART_ROWS,
  )
  const cut = (bytes: Uint8Array, from: number) =>
    bytes.length === 0
      ? NOTHING
      : json((JSON.parse(Buffer.from(bytes).toString()) as unknown[]).slice(from, from + PART_ROWS))
  return starts.map((from) => {
    const value = {
      ...operation.value,
      rowIds: rowIds.slice(from, from + PART_ROWS),
      columns: columns.map((column) => ({
        ...column,
        oldValuesJson: cut(column.oldValuesJson, from),
        newValuesJson: cut(column.newValuesJson, from),
      })),
    }
    return { operation: { $case: operation.$case, value } }
  })
}
