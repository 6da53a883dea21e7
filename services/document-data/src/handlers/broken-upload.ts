import { AppError } from '@sheaf/kit/errors'

/** The messages of a caller. A client disconnect aborts the upload and is not reported as a server error. */
export async function* untilBroken<T>(parts: AsyncIterable<T>): AsyncGenerator<T, void> {
  try {
    yield* parts
  } catch (error) {
    throw (error as { code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE' ? brokenOff() : error
  }
}

/** The error of an upload that ended too early. */
export function brokenOff(): AppError {
  return new AppError('invalid', 'UPLOAD_BROKEN', 'the upload was interrupted')
}
