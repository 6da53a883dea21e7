import { Client } from 'pg'
import { withSearchPath } from '@sheaf/kit/postgres/database'
import { LOG_SCHEMA } from './schema'

/** Milliseconds for which a statement waits for the row of a document that another one is changing. */
const LOCK_TIMEOUT_MS = 500
/** A statement whose connection was lost ends in PostgreSQL at last after this time. */
const STATEMENT_TIMEOUT_MS = 30_000

/**
 * A connection to PostgreSQL for one statement after another. A statement that is not answered in time leaves it
 * unusable: the answer might still arrive.
 */
export class LogConnection {
  private lost = false

  private constructor(private readonly client: Client) {
    client.on('error', () => (this.lost = true))
    client.on('end', () => (this.lost = true))
  }

  /** Connects within this time. Rejects when PostgreSQL is unavailable, or does not make commits durable. */
  static async open(url: string, timeoutMs: number): Promise<LogConnection> {
    const client = new Client({
      connectionString: withSearchPath(url, LOG_SCHEMA),
      connectionTimeoutMillis: Math.max(1, Math.ceil(timeoutMs)),
      lock_timeout: LOCK_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      keepAlive: true,
    })
    const connection = new LogConnection(client)
    try {
      await client.connect()
      await connection.requireDurable(timeoutMs)
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** False when it is closed, broken, or has not answered. */
  get isUsable(): boolean {
    return !this.lost
  }

  /**
   * Runs a statement and resolves to the documents in its answer. Rejects with the error of PostgreSQL, and with
   * another one when there is no answer within this time.
   */
  async run(
    statement: { readonly name: string; readonly text: string; readonly values: unknown[] },
    timeoutMs: number,
  ): Promise<Set<string>> {
    const timer = setTimeout(() => this.close(), timeoutMs)
    try {
      const { rows } = await this.client.query<{ doc: string }>(statement)
      return new Set(rows.map(({ doc }) => doc))
    } finally {
      clearTimeout(timer)
    }
  }

  /** Closes it; a running statement is rejected, and may still take effect. */
  close(): void {
    this.lost = true
    this.client.end().catch(() => {})
  }

  /** A role or a database may have another default, and a pooler may drop settings. */
  private async requireDurable(timeoutMs: number): Promise<void> {
    const timer = setTimeout(() => this.close(), timeoutMs)
    try {
      await this.client.query(
        `SELECT set_config('synchronous_commit', 'on', false)
         WHERE current_setting('synchronous_commit') <> 'remote_apply'`,
      )
      const { rows } = await this.client.query<{ mode: string }>(
        `SELECT current_setting('synchronous_commit') AS mode`,
      )
      const mode = rows[0]?.mode
      if (mode !== 'on' && mode !== 'remote_apply')
        throw new Error(`synchronous_commit is ${String(mode)}, so commits are not durable`)
    } finally {
      clearTimeout(timer)
    }
  }
}
