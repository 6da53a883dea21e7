import type { RestReply } from '@sheaf/testkit/rest'
import type { RunningSheaf, UsableSheaf } from '@sheaf/testkit/sheaf'
import { newDocument, useOwnSystem, useSystem, type System } from './system'

/** Name, content, and media type of a file. */
export type FileParts = readonly [name: string, content: string | Uint8Array, type?: string]

/** An attachment in a listing. */
export interface Listed {
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
}

type Failing = RestReply<{ error: string }>

/** A form with files. */
export function formOf(files: readonly FileParts[], field = 'upload'): FormData {
  const form = new FormData()
  for (const [name, content, type = ''] of files)
    form.append(field, new File([content], name, { type }))
  return form
}

/** The attachments of a document that belongs to one test. */
export class Attachments<Sheaf extends UsableSheaf = UsableSheaf> {
  /** Path of the document in the API. */
  doc = ''

  constructor(readonly system: System<Sheaf>) {}

  /** Posts a body to a path of the document. */
  post(
    body: unknown,
    path = 'attachments',
    headers: Record<string, string> = {},
  ): Promise<Failing> {
    return this.system.alice.rest.post(`${this.doc}/${path}`, { body, headers })
  }

  /** Reads a path below the attachments. */
  get(path: string, headers: Record<string, string> = {}): Promise<Failing> {
    return this.system.alice.rest.get(`${this.doc}/attachments/${path}`, { headers })
  }

  /** Attaches files; returns their row ids. */
  async upload(...files: FileParts[]): Promise<number[]> {
    const { status, body } = await this.post(formOf(files))
    if (status !== 200) throw new Error(`an upload answered ${status}: ${body.error}`)
    return body as unknown as number[]
  }

  /** Lists the attachments. */
  async list(query: Record<string, unknown> = {}): Promise<readonly Listed[]> {
    const path = `${this.doc}/attachments`
    const listed = await this.system.alice.rest.get<{ records: Listed[] }>(path, { query })
    return listed.body.records
  }
}

/** A Sheaf shared with other suites, and a new document for each test of the calling file. */
export function useAttachments(): Attachments {
  return withDocuments(new Attachments(useSystem()))
}

/** A Sheaf with these settings for the calling file, and a new document for each of its tests. */
export function useOwnAttachments(
  env: Readonly<Record<string, string>> = {},
): Attachments<RunningSheaf> {
  return withDocuments(new Attachments(useOwnSystem({ env })))
}

function withDocuments<T extends Attachments>(attachments: T): T {
  beforeEach(async () => {
    attachments.doc = await newDocument(attachments.system.alice.rest)
  })
  return attachments
}
