import { createLogger } from '@sheaf/kit/logger'
import { eventually } from '@sheaf/testkit/eventually'
import { defaultFormulaLimits } from '../../src/config'
import type { FormulaLimits } from '../../src/formulas/formula-limits'
import { Formulas } from '../../src/formulas/formulas'
import type { DocumentStore } from '../../src/store/documents/document-store'
import type { WriteStages } from '../../src/store/documents/shared-resources'
import { openStore, readText } from './test-store'

/** A store whose formulas are computed. */
export interface FormulaStore extends AsyncDisposable {
  readonly store: DocumentStore
  readonly formulas: Formulas
}

/** Opens a store on a folder, with an evaluator for formulas, and a stage that appends records. */
export async function openFormulaStore(
  folder: string,
  limits: Partial<FormulaLimits> = {},
  appending: Pick<WriteStages, 'append'> = {},
): Promise<FormulaStore> {
  const formulas = Formulas.open({ ...defaultFormulaLimits, ...limits }, createLogger('test'))
  const stages: WriteStages = {
    derive: (group, signal) => formulas.derive(group, signal),
    undone: (docId) => formulas.undone(docId),
    isAged: (docId, schema) => formulas.isAged(docId, schema),
    closed: (docId) => formulas.closed(docId),
    ...appending,
  }
  const store = await openStore(folder, { stages, maxIndexes: 2 })
  return {
    store,
    formulas,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await formulas[Symbol.asyncDispose]()
    },
  }
}

/** The rows of a table: each with its fields, and the errors of its formulas. */
export async function readRows(
  store: DocumentStore,
  docId: string,
  tableId: string,
): Promise<{ id: number; fields: Record<string, unknown>; errors?: Record<string, string> }[]> {
  const text = await readText(store, docId, { tableId })
  return (JSON.parse(text) as { records: never[] }).records
}

/** Resolves when no cell of the document is pending. */
export async function computed(store: DocumentStore, docId: string): Promise<void> {
  await eventually(
    () =>
      Promise.resolve(
        store.read(docId, ({ schema }) =>
          schema.tables.every(({ columns }) =>
            columns.every(({ pendingAfter, stopped }) => pendingAfter === undefined || stopped),
          ),
        ),
      ),
    { timeoutMs: 60_000 },
  )
}
