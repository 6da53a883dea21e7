import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { touchKeys } from './db/keys'
import type { DirectorySchema } from './db/schema'
import { touchSessions } from './db/sessions'

/** Resolution of usage times. */
const EXACTNESS_MS = 60_000
const FLUSH_MS = 1_000

/** Records when keys, or sessions, were last used, in batches and outside of the requests that use them. */
export class CredentialUse implements AsyncDisposable {
  private readonly used = new Set<number>()
  private timer?: NodeJS.Timeout

  /** Tracks the use of keys. */
  static ofKeys(db: Kysely<DirectorySchema>, log: Logger): CredentialUse {
    return new CredentialUse((ids) => touchKeys(db, ids), log)
  }

  /** Tracks the use of sessions. */
  static ofSessions(db: Kysely<DirectorySchema>, log: Logger): CredentialUse {
    return new CredentialUse((ids) => touchSessions(db, ids), log)
  }

  /** @param touch stores the current time for these ids */
  private constructor(
    private readonly touch: (ids: readonly number[]) => Promise<void>,
    private readonly log: Logger,
  ) {}

  /** Records a use, unless the last recorded use is within the same minute. */
  note(id: number, lastUsedAt: Date | null): void {
    if (lastUsedAt !== null && Date.now() - lastUsedAt.getTime() < EXACTNESS_MS) return
    this.used.add(id)
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    const ids = [...this.used]
    this.used.clear()
    if (ids.length === 0) return
    // A lost use is harmless, so a failure is not retried.
    await this.touch(ids).catch((error: unknown) =>
      this.log.warn({ err: error }, 'failed to record the use of keys and sessions'),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush()
  }
}
