import type { Logger } from '@sheaf/kit/logger'
import { migrate, openDatabase } from '@sheaf/kit/postgres/database'
import { migrations } from './migrations/index'
import { RecordAppender, type AppenderOptions } from './record-appender'
import { LOG_SCHEMA, type LogTablesDb } from './schema'

/** Connections for everything but appends. */
const CONNECTIONS = 4

/** Options of LogDatabase. */
export interface LogDatabaseOptions extends Pick<AppenderOptions, 'observe' | 'answerMs'> {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  readonly log: Logger
}

/** The PostgreSQL that holds the logs of documents. It connects when it is used. */
export class LogDatabase implements AsyncDisposable {
  /** Appends records. */
  readonly appender: RecordAppender
  private readonly db: LogTablesDb
  private migrated: Promise<void> | undefined

  constructor({ url, log, ...options }: LogDatabaseOptions) {
    this.db = openDatabase({ url, schema: LOG_SCHEMA, log, maxConnections: CONNECTIONS })
    const changed = (isAway: boolean, cause?: unknown) => {
      if (isAway)
        log.warn({ err: cause }, 'the log of documents cannot be reached, so writes are refused')
      else log.info('the log of documents can be reached again')
    }
    this.appender = new RecordAppender({ url, changed, ...options })
  }

  /** The tables, once the schema is there. Rejects with AppError `unavailable` while PostgreSQL is away. */
  async tables(): Promise<LogTablesDb> {
    this.migrated ??= migrate(this.db, LOG_SCHEMA, migrations)
    try {
      await this.migrated
    } catch (error) {
      this.migrated = undefined
      throw error
    }
    return this.db
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.appender[Symbol.dispose]()
    await this.db.destroy()
  }
}
