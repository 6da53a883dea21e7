import { AppError } from '@sheaf/kit/errors'

/** Bytes of rows, changes or text in one answer: some 10,000 tokens of a language model. */
export const ANSWER_BYTES = 32 * 1024

/** Items that fit into an answer. */
interface Fitting<T> {
  readonly items: readonly T[]
  /** Position of the first item that does not fit; undefined when all do. */
  readonly next: number | undefined
}

/** Takes items from `start` on as long as their JSON fits into the budget; at least one. */
export function takeFitting<T>(items: readonly T[], start: number, budget: number): Fitting<T> {
  let bytes = 0
  let end = start
  for (; end < items.length; end++) {
    bytes += Buffer.byteLength(JSON.stringify(items[end])) + 1
    if (bytes > budget && end > start) break
  }
  return { items: items.slice(start, end), next: end < items.length ? end : undefined }
}

/** Reads a cursor that is a position. Throws AppError `invalid` for any other text. */
export function readPosition(cursor: string | undefined): number {
  if (cursor === undefined || cursor === '') return 0
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw new AppError('invalid', 'INVALID_CURSOR', 'cursor is not one that this tool has answered', {
    parameter: 'cursor',
  })
}

/** The cursor of a position; null at the end. */
export function cursorAt(position: number | undefined): string | null {
  return position === undefined ? null : String(position)
}

/** The error for one item that is larger than an answer may be. */
export function answerTooLarge(item: string, hint: string): AppError {
  const message = `${item} is larger than an answer may be (${ANSWER_BYTES / 1024} KiB): ${hint}`
  return new AppError('too_large', 'ANSWER_TOO_LARGE', message, { limit: String(ANSWER_BYTES) })
}
