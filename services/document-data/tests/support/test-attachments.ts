import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { RoleName } from '@sheaf/auth/roles'
import type { CallContext } from '@sheaf/protos/call'
import {
  DownloadAttachmentRequest,
  ListAttachmentsRequest,
  type Attachment,
  type UploadAttachmentRequest,
  type UploadAttachmentResponse,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import type { WriteOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import { eventually } from '@sheaf/testkit/eventually'
import Database from 'better-sqlite3'
import type { TestClients, TestInstance } from './test-instance'

const PART_BYTES = 64 * 1024

/** A file to upload. */
export interface TestFile {
  readonly name: string
  readonly bytes: Uint8Array | string
  /** `text/plain` unless given. */
  readonly type?: string
}

/** An attachment as it is listed. */
export interface Listed {
  readonly id: number
  readonly fields: { fileName: string; fileSize: number; timeUploaded: string }
}

/** One document of an instance, and its attachments. */
export class TestDocument {
  readonly docId = randomUUID()

  private constructor(private readonly instance: TestInstance) {}

  /** Makes a document. */
  static async create(instance: TestInstance): Promise<TestDocument> {
    const document = new TestDocument(instance)
    await instance.clients.createDocument(document.docId)
    return document
  }

  /** Clients of the instance. */
  get clients(): TestClients {
    return this.instance.clients
  }

  /** What a call carries for a user with this role. */
  as(role: RoleName): Promise<CallContext> {
    return this.clients.as(this.docId, role)
  }

  /** The messages of an upload. */
  *messages(
    files: readonly TestFile[],
    options?: WriteOptions,
  ): Generator<UploadAttachmentRequest> {
    for (const { name, bytes, type = 'text/plain' } of files) {
      const value = { docId: this.docId, fileName: name, mediaType: type }
      yield { part: { $case: 'attachment', value }, options }
      const all = Buffer.from(bytes)
      for (let at = 0; at < all.length; at += PART_BYTES)
        yield { part: { $case: 'chunk', value: all.subarray(at, at + PART_BYTES) } }
    }
    yield { part: { $case: 'complete', value: true } }
  }

  /** Sends messages as they are. */
  async send(
    parts: AsyncIterable<UploadAttachmentRequest>,
    role: RoleName = 'editors',
  ): Promise<UploadAttachmentResponse> {
    return this.clients.attachments.uploadAttachment(parts, await this.as(role))
  }

  /** Attaches files in one upload. */
  upload(files: readonly TestFile[], options?: WriteOptions): Promise<UploadAttachmentResponse> {
    return this.send(Readable.from(this.messages(files, options)))
  }

  /** Attaches a file. */
  async uploadOne(name: string, bytes: Uint8Array | string): Promise<Attachment> {
    const { attachment } = await this.upload([{ name, bytes }])
    if (!attachment) throw new Error('nothing was attached')
    return attachment
  }

  /** The bytes of an attachment, or of a range of it. */
  async download(id: number, range: { offset?: number; length?: number } = {}): Promise<Buffer> {
    const { docId } = this
    const request = DownloadAttachmentRequest.fromPartial({ docId, attachmentId: id, ...range })
    const chunks: Buffer[] = []
    const answer = this.clients.attachments.downloadAttachment(request, await this.as('viewers'))
    for await (const { part } of answer) if (part?.$case === 'chunk') chunks.push(part.value)
    return Buffer.concat(chunks)
  }

  /** The attachments as they are listed. */
  async list(request: Partial<ListAttachmentsRequest> = {}): Promise<Listed[]> {
    const chunks: Buffer[] = []
    const whole = ListAttachmentsRequest.fromPartial({ docId: this.docId, ...request })
    const answer = this.clients.attachments.listAttachments(whole, await this.as('viewers'))
    for await (const { chunk } of answer) chunks.push(chunk)
    return (JSON.parse(Buffer.concat(chunks).toString()) as { records: Listed[] }).records
  }

  /** Row ids of the attachments. */
  async ids(): Promise<number[]> {
    return (await this.list()).map(({ id }) => id)
  }

  /** Opens the file of the document, as somebody who is not Sheaf. */
  open<T>(run: (db: Database.Database) => T): T {
    const { docId } = this
    const db = new Database(join(this.folder, docId.slice(0, 2), docId, 'document.sqlite'))
    try {
      return run(db)
    } finally {
      db.close()
    }
  }

  /** The first column of what a query gives. */
  look<T>(sql: string): T[] {
    return this.open((db) => db.prepare(sql).pluck().all() as T[])
  }

  /** Sizes of all files in the document, also of those that are on their way. */
  stored(): number[] {
    return this.look<number>('SELECT size FROM _sheaf_files ORDER BY id')
  }

  /** What uploads keep outside of documents. */
  staged(): string[] {
    return readdirSync(join(this.folder, 'unfinished'))
  }

  /** Resolves when nothing of any upload is left but these files. */
  async untilTidy(sizes: readonly number[]): Promise<void> {
    const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
    await eventually(() => {
      const chunks = this.look<number>('SELECT octet_length(bytes) FROM _sheaf_file_chunks')
      const isTidy = JSON.stringify(this.stored()) === JSON.stringify(sizes)
      return isTidy && sum(chunks) === sum(sizes) && this.staged().length === 0
    })
  }

  private get folder(): string {
    return join(this.instance.folder.path, 'documents')
  }
}

/** The reason that a call fails for. */
export function reasonOf(call: Promise<unknown>): Promise<string | undefined> {
  return call.then(
    () => 'nothing went wrong',
    (error: unknown) => (error as { reason?: string }).reason,
  )
}
