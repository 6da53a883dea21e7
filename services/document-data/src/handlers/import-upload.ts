import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type { Context } from '../context'

const MIB = 1024 * 1024
/** Name of the file in its folder. */
const FILE = 'upload'

/** The messages of an upload: a head, then bytes. */
interface UploadMessage<H> {
  readonly part?:
    | { readonly $case: 'head'; readonly value: H }
    | { readonly $case: 'chunk'; readonly value: Uint8Array }
    | undefined
}

/** Reads the head of an upload. Throws `invalid` for another message. */
export async function readHead<H>(incoming: AsyncIterator<UploadMessage<H>>): Promise<H> {
  const first = await incoming.next()
  const part = first.done ? undefined : first.value.part
  if (part?.$case !== 'head') throw badPart('the first message must be the head')
  return part.value
}

/** An uploaded file in a folder of its own, which is removed with it. */
export class ReceivedUpload implements AsyncDisposable {
  private constructor(
    private readonly folder: string,
    /** Digest of the file. */
    readonly sha256: Uint8Array,
    private readonly leave: () => void,
  ) {}

  /**
   * Receives the rest of an upload, in a slot for imports of its user. Throws `too_many` and `unavailable` when no slot is
   * free, and `too_large` beyond the size limit.
   */
  static async receive(
    {
      imports,
      documents,
      maxImportBytes,
    }: Pick<Context, 'imports' | 'documents' | 'maxImportBytes'>,
    call: ServerCall,
    incoming: AsyncIterator<UploadMessage<unknown>>,
  ): Promise<ReceivedUpload> {
    const leave = imports.hold(call.caller.userId)
    let folder: string | undefined
    try {
      folder = await documents.lifeCycle.createScratch()
      const sha256 = await receive(join(folder, FILE), incoming, maxImportBytes)
      return new ReceivedUpload(folder, sha256, leave)
    } catch (error) {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
      leave()
      throw error
    }
  }

  /** Path of the file. */
  get path(): string {
    return join(this.folder, FILE)
  }

  /** Path at which a draft of its tables can be created. */
  get draftPath(): string {
    return join(this.folder, 'draft')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
    this.leave()
  }
}

const badPart = (message: string) =>
  new AppError('invalid', 'BAD_FIELD', message, { field: 'part' })

/** Writes the upload to a file. Throws `too_large` beyond the size limit. */
async function receive(
  path: string,
  incoming: AsyncIterator<UploadMessage<unknown>>,
  maxBytes: number,
): Promise<Uint8Array> {
  const file = await open(path, 'wx', 0o600)
  const digest = createHash('sha256')
  let bytes = 0
  try {
    for (let next = await incoming.next(); !next.done; next = await incoming.next()) {
      const { part } = next.value
      if (part?.$case !== 'chunk') throw badPart('every message after the first must be a chunk')
      bytes += part.value.length
      if (bytes > maxBytes)
        throw new AppError(
          'too_large',
          'UPLOAD_TOO_LARGE',
          `upload must not be larger than ${Math.floor(maxBytes / MIB)} MiB`,
          { field: 'upload', limit: String(maxBytes), setting: 'SHEAF_MAX_IMPORT_MB' },
        )
      digest.update(part.value)
      await file.writeFile(part.value)
    }
    return digest.digest()
  } finally {
    await file.close()
  }
}

/** Holds the latest value; values that arrive faster than they are consumed are dropped. */
export class Latest<T> {
  private value: T | undefined
  private wake: () => void = () => {}

  set(value: T): void {
    this.value = value
    this.wake()
  }

  /** Yields values until the promise is settled, whether fulfilled or rejected. */
  async *until(end: Promise<unknown>): AsyncGenerator<T> {
    let ended = false
    const finish = () => {
      ended = true
      this.wake()
    }
    end.then(finish, finish)
    for (;;) {
      const { value } = this
      this.value = undefined
      if (ended) return
      if (value !== undefined) yield value
      else await new Promise<void>((resolve) => (this.wake = resolve))
    }
  }
}
