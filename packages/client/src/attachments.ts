import type { CallOptions, ReadOptions, WriteOptions } from './call-options.ts'
import type { Connection } from './connection.ts'
import type { Upload, UploadProgress } from './http-request.ts'
import type { Attachment } from './resources.ts'

/** A file to upload: a `File` of a browser, or a name with contents. */
export type UploadFile =
  | (Blob & { readonly name: string })
  | { readonly name: string; readonly data: Blob | ArrayBuffer | Uint8Array | string }

/** Options of an upload. */
export interface UploadOptions extends WriteOptions {
  /** Called while the files are sent, from 0 again when the upload is repeated. */
  readonly onProgress?: (progress: UploadProgress) => void
}

/** Which attachments are listed, in which order. */
export interface AttachmentSelection extends ReadOptions {
  /** Permitted values by column: `{ id: [1, 2] }`. */
  readonly filter?: { readonly id?: readonly number[]; readonly fileName?: readonly string[] }
  /** Such as `-fileSize`; row ids by default. */
  readonly sort?: string
  readonly limit?: number
  readonly offset?: number
}

/** Options of a download. */
export interface DownloadOptions extends CallOptions {
  /** Bytes to download, both included; to the end without `end`. */
  readonly range?: { readonly start: number; readonly end?: number }
}

/** The files of a document. */
export class Attachments {
  readonly #connection: Connection
  readonly #path: string

  /** @internal */
  constructor(connection: Connection, documentPath: string) {
    this.#connection = connection
    this.#path = `${documentPath}/attachments`
  }

  /** Lists attachments: name, size and time of upload. */
  async list({ filter, sort, limit, offset, asOf, ...options }: AttachmentSelection = {}): Promise<
    Attachment[]
  > {
    const query = { filter: filter && JSON.stringify(filter), sort, limit, offset, asOf }
    const call = { method: 'GET', path: this.#path, query } as const
    return (await this.#connection.json<{ records: Attachment[] }>(call, options)).records
  }

  /**
   * Uploads files, all or none. Resolves to their row ids in order, for cells of columns of type Attachments. The upload
   * is repeated when the connection breaks.
   *
   * ```ts
   * const ids = await doc.attachments.upload([{ name: 'notes.txt', data: 'Buy milk' }], {
   *   onProgress: ({ sent, total }) => console.log(`${sent} of ${total} bytes`),
   * })
   * await tasks.add([{ Files: ['L', ...ids] }])
   * ```
   */
  async upload(files: readonly UploadFile[], options: UploadOptions = {}): Promise<number[]> {
    const parts = files.map((file) => ({ name: file.name, blob: toBlob(file) }))
    const total = parts.reduce((sum, { blob }) => sum + blob.size, 0)
    const upload = (): Upload => {
      const form = new FormData()
      for (const { name, blob } of parts) form.append('upload', blob, name)
      return { form, total, onProgress: options.onProgress }
    }
    const call = { method: 'POST', path: this.#path, upload, isLong: true } as const
    return (await this.#connection.write<number[]>(call, options)).value
  }

  /**
   * Downloads a file, or a range of it. Resolves once its first bytes are there: read it with `blob()`, `text()`, or
   * `body` for a stream, which fails if the connection breaks.
   *
   * ```ts
   * const file = await doc.attachments.download(1)
   * await writeFile('photo.png', Buffer.from(await file.arrayBuffer()))
   * ```
   */
  async download(id: number, { range, ...options }: DownloadOptions = {}): Promise<Response> {
    const headers = { range: range && `bytes=${range.start}-${range.end ?? ''}` }
    const path = `${this.#path}/${id}/download`
    const { response } = await this.#connection.open({ method: 'GET', path, headers }, options)
    return response
  }
}

/** The contents of a file. */
export function toBlob(file: UploadFile): Blob {
  if (!('data' in file)) return file
  if (file.data instanceof Blob) return file.data
  return new Blob([file.data] as NonNullable<ConstructorParameters<typeof Blob>[0]>)
}
