import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { touchKeys } from './db/keys'
import type { DirectorySchema } from './db/schema'
import { touchSessions } from './db/sessions'

/** Uses are told apart to the minute. */
const EXACTNESS_MS = 60_000
const FLUSH_MS = 1_000

/** Records when keys, or sessions, were last used, in batches and beside the requests that use them. */
export class CredentialUse implements AsyncDisposable {
  private readonly used = new Set<number>()
  private timer?: NodeJS.Timeout

  /** The use of keys. */
  static ofKeys(db: Kysely<DirectorySchema>, log: Logger): CredentialUse {
    return new CredentialUse((ids) => touchKeys(db, ids), log)
  }

  /** The use of sessions. */
  static ofSessions(db: Kysely<DirectorySchema>, log: Logger): CredentialUse {
    return new CredentialUse((ids) => touchSessions(db, ids), log)
  }

  /** @param touch stores that those with these ids are used now */
  private constructor(
    private readonly touch: (ids: readonly number[]) => Promise<void>,
    private readonly log: Logger,
  ) {}

  /** Notes that one is used now, unless the last use known is of the same minute. */
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
    // A use that is not recorded harms nobody, so a failure is not tried again.
    await this.touch(ids).catch((error: unknown) =>
      this.log.warn({ err: error }, 'failed to record the use of keys and sessions'),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush()
  }
}
