import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc/client'
import {
  ColumnsServiceClientImpl,
  ListColumnsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/columns'
import {
  ImportOptions,
  ImportServiceClientImpl,
  type ImportDocumentRequest,
  type ImportedTable,
  type ImportProgress,
  type PreviewImportRequest,
  type PreviewImportResponse,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import type { DocumentDataConfig } from '../../src/config'
import { TestInstance } from './test-instance'

const CHUNK = 64 * 1024

/** What an import has made. */
export interface TestImport {
  readonly docId: string
  readonly tables: readonly ImportedTable[]
  readonly progress: readonly ImportProgress[]
}

async function* uploadOf<T>(head: T, content: string | Uint8Array) {
  const bytes = Buffer.from(content as Uint8Array)
  yield head
  for (let start = 0; start < bytes.length; start += CHUNK) {
    const value = bytes.subarray(start, start + CHUNK)
    yield { part: { $case: 'chunk' as const, value } }
  }
}

/** An instance that files are imported into. */
export class ImportInstance implements AsyncDisposable {
  private readonly channel: GrpcChannel
  private readonly imports: ImportServiceClientImpl

  private constructor(readonly instance: TestInstance) {
    this.channel = openChannel({ address: instance.service.address })
    this.imports = new ImportServiceClientImpl(this.channel)
  }

  static async start(config: Partial<DocumentDataConfig> = {}): Promise<ImportInstance> {
    return new ImportInstance(await TestInstance.start(config))
  }

  /** Imports a file as its owner. */
  async import(
    fileName: string,
    content: string | Uint8Array,
    options?: Partial<ImportOptions>,
  ): Promise<TestImport> {
    const docId = randomUUID()
    const value = { docId, fileName, options: options && ImportOptions.fromPartial(options) }
    const parts = uploadOf<ImportDocumentRequest>({ part: { $case: 'head', value } }, content)
    const call = await this.instance.clients.as(docId, 'owners')
    const progress: ImportProgress[] = []
    for await (const { part } of this.imports.importDocument(parts, call)) {
      if (part?.$case === 'done') return { docId, tables: part.value.tables, progress }
      if (part) progress.push(part.value)
    }
    throw new Error('an import ended without an outcome')
  }

  /** Previews a file as an editor of a document that does not exist. */
  async preview(
    fileName: string,
    content: string | Uint8Array,
    options: Partial<ImportOptions> = {},
    isPart = false,
  ): Promise<PreviewImportResponse> {
    const docId = randomUUID()
    const value = { docId, fileName, options: ImportOptions.fromPartial(options), isPart }
    const parts = uploadOf<PreviewImportRequest>({ part: { $case: 'head', value } }, content)
    return this.imports.previewImport(parts, await this.instance.clients.as(docId, 'editors'))
  }

  /** The fields of all rows of a table. */
  async rows({ docId }: TestImport, tableId: string): Promise<Record<string, unknown>[]> {
    const rows = await this.instance.clients.read(docId, tableId)
    return rows.map(({ fields }) => fields)
  }

  /** Id, label and type of the columns of a table. */
  async columns({ docId }: TestImport, tableId: string): Promise<[string, string, string][]> {
    const request = ListColumnsRequest.fromPartial({ docId, tableId })
    const columns = new ColumnsServiceClientImpl(this.channel)
    const call = await this.instance.clients.as(docId, 'viewers')
    const answer = await columns.listColumns(request, call)
    return answer.columns.map(({ id, fields }) => [id, fields?.label ?? '', fields?.type ?? ''])
  }

  /** What an import has left behind besides documents, and how many documents there are. */
  async remains(): Promise<{ unfinished: number; documents: number }> {
    const root = join(this.instance.folder.path, 'documents')
    const folders = (await readdir(root)).filter((name) => /^[0-9a-f]{2}$/.test(name))
    const inside = await Promise.all(folders.map((name) => readdir(join(root, name))))
    const unfinished = (await readdir(join(root, 'unfinished'))).length
    return { unfinished, documents: inside.flat().length }
  }

  /** Imports what is refused for this reason, with a text that matches; nothing is left of it. */
  async expectRefused(
    fileName: string,
    content: string | Uint8Array,
    expected: { reason: string; message: RegExp },
  ): Promise<void> {
    const before = await this.remains()
    await expect(this.import(fileName, content)).rejects.toMatchObject({
      reason: expected.reason,
      message: expect.stringMatching(expected.message) as string,
    })
    expect(await this.remains()).toEqual({ ...before, unfinished: 0 })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.channel.close()
    await this.instance[Symbol.asyncDispose]()
  }
}
