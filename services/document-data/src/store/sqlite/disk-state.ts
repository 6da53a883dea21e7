import { toAppError } from '@sheaf/kit/errors'
import { translateSqliteError } from './sqlite-errors'

/** Observes whether writes fail because the disk is full. */
export class DiskState {
  /** True from a transaction that found the disk full until one succeeds. */
  isFull = false

  /** Notes a transaction that is on disk. */
  accepted(): void {
    this.isFull = false
  }

  /** Notes the error of a transaction that failed; errors other than that of a full disk change nothing. */
  failed(error: unknown): void {
    if (toAppError(translateSqliteError(error))?.reason === 'DISK_FULL') this.isFull = true
  }
}
