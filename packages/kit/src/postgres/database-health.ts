import { sql, type Kysely } from 'kysely'

const CHECK_MS = 3_000
/** Shorter interval while PostgreSQL is unreachable, to notice its return sooner. */
const RETRY_MS = 500

/** Checks whether PostgreSQL responds, every few seconds and on request after a query has failed. */
export class DatabaseHealth<DB> implements Disposable {
  private timer?: NodeJS.Timeout
  private checking = false
  private closed = false

  constructor(
    private readonly db: Kysely<DB>,
    private readonly onChange: (serving: boolean) => void,
  ) {}

  /** Checks now, and then periodically until disposed of. */
  check(): void {
    if (this.checking || this.closed) return
    this.checking = true
    clearTimeout(this.timer)
    sql`select 1`
      .execute(this.db)
      .then(
        () => true,
        () => false,
      )
      .then((serving) => {
        this.checking = false
        if (this.closed) return
        this.onChange(serving)
        this.timer = setTimeout(() => this.check(), serving ? CHECK_MS : RETRY_MS).unref()
      })
      .catch(() => {})
  }

  [Symbol.dispose](): void {
    this.closed = true
    clearTimeout(this.timer)
  }
}
