import { AppError } from '@sheaf/kit/errors'
import type { ObjectStore } from './object-store'

/** A call of a store that has ended. */
export interface StoreCall {
  readonly operation: keyof ObjectStore
  readonly seconds: number
  readonly error?: unknown
}

/**
 * A store whose calls are reported. A call that fails throws `unavailable`, so that callers repeat what they have asked for;
 * what it failed of is for the report alone.
 */
export class ReportedStore implements ObjectStore {
  constructor(
    private readonly store: ObjectStore,
    private readonly report: (call: StoreCall) => void,
  ) {}

  put(name: string, bytes: Uint8Array): Promise<void> {
    return this.run('put', () => this.store.put(name, bytes))
  }

  get(name: string): Promise<Buffer | undefined> {
    return this.run('get', () => this.store.get(name))
  }

  has(name: string): Promise<boolean> {
    return this.run('has', () => this.store.has(name))
  }

  touch(name: string): Promise<boolean> {
    return this.run('touch', () => this.store.touch(name))
  }

  list(folder: string): Promise<{ readonly name: string; readonly storedAt: number }[]> {
    return this.run('list', () => this.store.list(folder))
  }

  removeOld(name: string, before: number): Promise<void> {
    return this.run('removeOld', () => this.store.removeOld(name, before))
  }

  removeFolder(folder: string): Promise<void> {
    return this.run('removeFolder', () => this.store.removeFolder(folder))
  }

  private async run<T>(operation: keyof ObjectStore, call: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    const ended = (error?: unknown) =>
      this.report({ operation, seconds: (performance.now() - begun) / 1000, error })
    try {
      const result = await call()
      ended()
      return result
    } catch (error) {
      ended(error)
      throw isFull(error) ? full() : away()
    }
  }
}

const RETRY = { retryAfterMs: '2000' }

function away(): AppError {
  const message = 'the store of snapshots and attachments does not respond, retry later'
  return new AppError('unavailable', 'STORE_UNAVAILABLE', message, RETRY)
}

function full(): AppError {
  const message = 'the store of snapshots and attachments is full, retry later'
  return new AppError('unavailable', 'STORE_FULL', message, RETRY)
}

/** True for an error of a file system without room, or of a bucket: services answer 507 or one of these codes. */
function isFull(error: unknown): boolean {
  const { code, name, $metadata } = error as {
    readonly code?: unknown
    readonly name?: unknown
    readonly $metadata?: { readonly httpStatusCode?: number }
  }
  return (
    code === 'ENOSPC' ||
    code === 'EDQUOT' ||
    $metadata?.httpStatusCode === 507 ||
    /^(XMinioStorageFull|InsufficientStorage|QuotaExceeded)/.test(String(name))
  )
}
