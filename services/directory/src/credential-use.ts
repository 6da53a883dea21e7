import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { touchKeyDocuments, type KeyDocument } from './db/key-documents'
import { touchKeys } from './db/keys'
import type { DirectorySchema } from './db/schema'
import { touchSessions } from './db/sessions'

/** Resolution of usage times. */
const EXACTNESS_MS = 60_000
const FLUSH_MS = 1_000

/** Records uses in batches, outside of the requests that they belong to. */
class UseBatch<T> implements AsyncDisposable {
  private readonly used = new Map<number | string, T>()
  private timer?: NodeJS.Timeout

  /** @param touch stores the current time for these uses */
  constructor(
    private readonly touch: (uses: readonly T[]) => Promise<void>,
    private readonly log: Logger,
  ) {}

  add(key: number | string, use: T): void {
    this.used.set(key, use)
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    const uses = [...this.used.values()]
    this.used.clear()
    if (uses.length === 0) return
    // A lost use is harmless, so a failure is not retried.
    await this.touch(uses).catch((error: unknown) =>
      this.log.warn({ err: error }, 'failed to record the use of keys and sessions'),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush()
  }
}

/** Records when keys, or sessions, were last used. */
export class CredentialUse implements AsyncDisposable {
  private readonly batch: UseBatch<number>

  /** Tracks the use of keys. */
  static ofKeys(db: Kysely<DirectorySchema>, log: Logger): CredentialUse {
    return new CredentialUse((ids) => touchKeys(db, ids), log)
  }

  /** Tracks the use of sessions. */
  static ofSessions(db: Kysely<DirectorySchema>, log: Logger): CredentialUse {
    return new CredentialUse((ids) => touchSessions(db, ids), log)
  }

  private constructor(touch: (ids: readonly number[]) => Promise<void>, log: Logger) {
    this.batch = new UseBatch(touch, log)
  }

  /** Records a use, unless the last recorded use is within the same minute. */
  note(id: number, lastUsedAt: Date | null): void {
    if (lastUsedAt !== null && Date.now() - lastUsedAt.getTime() < EXACTNESS_MS) return
    this.batch.add(id, id)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.batch[Symbol.asyncDispose]()
  }
}

/** Records which documents keys may have changed. */
export class KeyDocumentUse implements AsyncDisposable {
  private readonly batch: UseBatch<KeyDocument>

  constructor(db: Kysely<DirectorySchema>, log: Logger) {
    this.batch = new UseBatch((uses) => touchKeyDocuments(db, uses), log)
  }

  /** Records that a key had write access to a document. */
  note(use: KeyDocument): void {
    this.batch.add(`${use.keyId} ${use.docId}`, use)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.batch[Symbol.asyncDispose]()
  }
}
