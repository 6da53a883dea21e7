import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { touchKeys } from './db/keys'
import type { DirectorySchema } from './db/schema'

/** Uses of keys are told apart to the minute. */
const EXACTNESS_MS = 60_000
const FLUSH_MS = 1_000

/** Records when keys were last used, in batches and beside the requests that use them. */
export class KeyUse implements AsyncDisposable {
  private readonly used = new Set<number>()
  private timer?: NodeJS.Timeout

  constructor(
    private readonly db: Kysely<DirectorySchema>,
    private readonly log: Logger,
  ) {}

  /** Notes that a key is used now, unless the last use known is of the same minute. */
  note(keyId: number, lastUsedAt: Date | null): void {
    if (lastUsedAt !== null && Date.now() - lastUsedAt.getTime() < EXACTNESS_MS) return
    this.used.add(keyId)
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    const keyIds = [...this.used]
    this.used.clear()
    if (keyIds.length === 0) return
    // A use that is not recorded harms nobody, so a failure is not tried again.
    await touchKeys(this.db, keyIds).catch((error: unknown) =>
      this.log.warn({ err: error }, 'cannot record the use of keys'),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush()
  }
}
