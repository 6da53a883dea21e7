import { toAppError } from '@sheaf/kit/errors'
import type { FormFile } from '../http/multipart'

interface Chunk {
  readonly part: { readonly $case: 'chunk'; readonly value: Buffer }
}

/** The messages of an upload to document-data; records why it failed. */
export class UploadStream {
  /** The error of the call says less than the reason why its upload failed. */
  failure: Error | undefined
  /** True once bytes of the file were sent, which are not kept. */
  hasBegun = false

  constructor(private readonly file: FormFile) {}

  /**
   * Yields the head, then the file as it arrives.
   * @param mayEnd is called after the file, and rejects when the upload must not count as whole; it then fails
   */
  async *parts<T>(head: T, mayEnd?: () => Promise<void>): AsyncGenerator<T | Chunk> {
    yield head
    this.hasBegun = true
    try {
      for await (const value of this.file.bytes) yield { part: { $case: 'chunk', value } }
      await mayEnd?.()
    } catch (error) {
      this.failure = toAppError(error) ?? (error as Error)
      throw error
    }
  }
}
