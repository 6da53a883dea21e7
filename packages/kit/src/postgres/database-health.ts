import { sql, type Kysely } from 'kysely'

const CHECK_MS = 3_000
/** While PostgreSQL is away, its return is noticed sooner. */
const RETRY_MS = 500

/** Watches whether PostgreSQL answers, every few seconds and whenever a query has found it away. */
export class DatabaseHealth<DB> implements Disposable {
  private timer?: NodeJS.Timeout
  private checking = false
  private closed = false

  constructor(
    private readonly db: Kysely<DB>,
    private readonly onChange: (serving: boolean) => void,
  ) {}

  /** Looks now, and goes on looking until disposed of. */
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
