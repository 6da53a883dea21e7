import { AppError } from '@sheaf/kit/errors'
import { openReader, type Connection } from './connections'

/** Long reads of one document at the same time. */
const MAX_READERS = 16
/** Connections kept open between reads. */
const MAX_SPARE = 2

/** A connection on loan for one long read. */
export interface Loan {
  readonly connection: Connection
  /** Why the connection was taken back; undefined while it may be used. */
  readonly revoked: AppError | undefined
  /** Gives the connection back; ends its transaction. Must be called once, whatever happens. */
  release(): void
}

/** Read-only connections of one document for reads that take several turns of the event loop. */
export class ReaderPool {
  private readonly spare: Connection[] = []
  private readonly loans = new Map<Connection, (reason: AppError) => void>()

  constructor(private readonly path: string) {}

  /** Connections on loan. */
  get inUse(): number {
    return this.loans.size
  }

  /** Lends a connection. Throws `too_many` when too many long reads of the document run. */
  borrow(): Loan {
    if (this.loans.size >= MAX_READERS)
      throw new AppError('too_many', 'TOO_MANY_READS', 'too many long reads of this document', {
        retryAfterMs: '1000',
      })
    const connection = this.spare.pop() ?? openReader(this.path)
    let revoked: AppError | undefined
    this.loans.set(connection, (reason) => (revoked = reason))
    return {
      connection,
      get revoked() {
        return revoked
      },
      release: () => this.giveBack(connection),
    }
  }

  /** Takes all connections back and closes them. */
  close(reason: AppError): void {
    for (const [connection, revoke] of this.loans) {
      revoke(reason)
      connection.close()
    }
    this.loans.clear()
    for (const connection of this.spare.splice(0)) connection.close()
  }

  private giveBack(connection: Connection): void {
    if (!this.loans.delete(connection)) return
    try {
      if (connection.db.inTransaction) connection.prepare('ROLLBACK').run()
    } catch {
      connection.close()
      return
    }
    if (this.spare.length < MAX_SPARE) this.spare.push(connection)
    else connection.close()
  }
}
