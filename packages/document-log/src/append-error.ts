import { AppError } from '@sheaf/kit/errors'

/**
 * What became of records that were not appended for certain: `refused` ones are not in the log and never will be;
 * `fenced` ones neither, and the document belongs to another opening; `unknown` ones may be in the log, or come into
 * it until the document is opened again.
 */
export type AppendOutcome = 'refused' | 'fenced' | 'unknown'

/** Thrown when records were not appended to the log, or perhaps were not. */
export class AppendError extends AppError {
  constructor(
    readonly outcome: AppendOutcome,
    cause?: unknown,
  ) {
    // A statement before this call would run after `this.outcome` is set, which throws in a derived class.
    super(
      'unavailable',
      outcome === 'fenced' ? 'DOCUMENT_MOVED' : 'LOG_UNAVAILABLE',
      outcome === 'fenced'
        ? 'the document was opened elsewhere, retry later'
        : 'the write could not be stored, retry later',
      { retryAfterMs: '1000' },
    )
    if (cause !== undefined) this.cause = cause
  }
}
