import { codes } from '@sheaf/kit/errors'
import type { ImportProgress } from '@sheaf/protos/sheaf/document_data/v1/import'
import { preferredMediaType } from '../http/content-negotiation'
import type { Exchange } from '../http/exchange'
import { errorBody, sendHead, sendJson } from '../http/reply'
import { toClientError } from '../middleware/error-handler'

/** Media type of a response in lines. */
export const LINES = 'application/x-ndjson'

/** A response of NDJSON with progress if the client accepts that, else of one JSON object. */
export class ProgressLines {
  private readonly isWanted: boolean
  private hasBegun = false

  constructor(private readonly exchange: Exchange) {
    this.isWanted = preferredMediaType(exchange.request, ['application/json', LINES]) === LINES
  }

  report(progress: ImportProgress): void {
    const { rowsRead, rowsStored } = progress
    if (this.isWanted) this.write({ progress: { rowsRead, rowsStored } })
  }

  /** @param name of the result in the last line */
  end(result: object, name: 'document' | 'imported'): void {
    if (!this.isWanted) return sendJson(this.exchange, result)
    this.write({ [name]: result })
    this.exchange.response.end()
  }

  /** Writes the error as the last line. Returns false if no line was written, so that the caller can send an error response. */
  fail(error: unknown): boolean {
    if (!this.hasBegun) return false
    const told = toClientError(this.exchange, error)
    const { error: message, details } = errorBody(told)
    this.write({ error: message, details: { ...details, status: codes[told.code].http } })
    this.exchange.response.end()
    return true
  }

  private write(line: object): void {
    if (!this.hasBegun) sendHead(this.exchange, { mediaType: LINES })
    this.hasBegun = true
    if (this.exchange.response.destroyed) return
    this.exchange.response.write(`${JSON.stringify(line)}\n`)
  }
}
