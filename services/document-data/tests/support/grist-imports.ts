import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { gristFile, type GristFile } from '@sheaf/testkit/grist-file'
import { columnsOf } from '../../src/formulas/dependencies/formula-columns'
import { importFile, type Imported } from '../../src/import/import-file'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { updateRecords } from '../../src/store/records/records'
import type { Table } from '../../src/store/schema/schema'
import { openFormulaStore, readRows, type FormulaStore } from './formula-store'
import { author } from './test-store'

/** An imported document, and the path of its file. */
export interface ImportedDocument extends Imported {
  readonly docId: string
  readonly file: string
}

/** A store with formulas, into which files are imported. */
export class GristImports implements AsyncDisposable {
  private constructor(
    readonly folder: TempDir,
    private readonly opened: FormulaStore,
  ) {}

  static async open(): Promise<GristImports> {
    const folder = await tempDir()
    return new GristImports(folder, await openFormulaStore(folder.path, { evaluators: 1 }))
  }

  get store(): DocumentStore {
    return this.opened.store
  }

  /** Imports a file of Grist. */
  import(file: GristFile): Promise<ImportedDocument> {
    return this.importBytes(gristFile(file))
  }

  /** Imports a file of any format. */
  async importBytes(content: Buffer, fileName = 'book.grist'): Promise<ImportedDocument> {
    const docId = randomUUID()
    const upload = join(this.folder.path, `${docId}.upload`)
    writeFileSync(upload, content)
    let imported: Imported | undefined
    await this.store.lifeCycle.createFrom(docId, async (target) => {
      imported = await importFile({ upload, fileName, target, author }, () => {})
      return imported.first
    })
    if (!imported) throw new Error('nothing was imported')
    const file = join(this.folder.path, docId.slice(0, 2), docId, 'document.sqlite')
    return { ...imported, docId, file }
  }

  /** Rows of a table, with the errors of their formulas. */
  rows({ docId }: ImportedDocument, tableId: string): ReturnType<typeof readRows> {
    return readRows(this.store, docId, tableId)
  }

  /** The fields of all rows of a table. */
  async fields(of: ImportedDocument, tableId: string): Promise<Record<string, unknown>[]> {
    return (await this.rows(of, tableId)).map(({ fields }) => fields)
  }

  /** A table with its columns. */
  table({ docId }: ImportedDocument, tableId: string): Promise<Table> {
    return Promise.resolve(this.store.read(docId, ({ schema }) => schema.get(tableId)))
  }

  /** Changes cells of a row. */
  async update(
    { docId }: ImportedDocument,
    tableId: string,
    [rowId, cells]: [number, Record<string, unknown>],
  ): Promise<void> {
    const columns = new Map(Object.entries(cells).map(([id, cell]) => [id, [cell]]))
    await this.store.transact(docId, author, (doc) =>
      updateRecords(doc, tableId, { rowIds: [rowId], cells: columns as never }, { noParse: true }),
    )
  }

  /** The formula columns that are pending, and the cells that were computed since the document was opened. */
  async formulaState({ docId }: ImportedDocument): Promise<{ pending: string[]; cells: number }> {
    const { computed } = await Promise.resolve(
      this.store.read(docId, ({ schema }) => columnsOf(schema)),
    )
    const pending = computed.filter(({ column }) => column.pendingAfter !== undefined)
    const timings = computed.map(({ column }) => this.opened.formulas.timingOf(docId, column.ref))
    return {
      pending: pending.map(({ column }) => column.id),
      cells: timings.reduce((sum, timing) => sum + (timing?.cells ?? 0), 0),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.opened[Symbol.asyncDispose]()
    await this.folder[Symbol.asyncDispose]()
  }
}
