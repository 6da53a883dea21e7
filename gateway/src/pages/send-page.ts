import { codes, type AppError } from '@sheaf/kit/errors'
import type { Exchange } from '../exchange'
import { pageHead } from '../middleware/page-headers'
import { pushRetryAfter, sendBytes } from '../reply'
import { renderErrorPage } from './page'

/** Answers with a page. */
export function sendPage(exchange: Exchange, page: Buffer): void {
  sendBytes(exchange, page, pageHead)
}

/** Answers with an error as a page for people. What is left of the request is thrown away. */
export function sendErrorPage(exchange: Exchange, error: AppError): void {
  pushRetryAfter(exchange.headers, error)
  sendBytes(exchange, renderErrorPage(error), { ...pageHead, status: codes[error.code].http })
  exchange.request.resume()
}

/** Sends the browser on to another page, which it asks for by GET. */
export function sendRedirect(exchange: Exchange, location: string): void {
  sendBytes(exchange, Buffer.alloc(0), {
    ...pageHead,
    status: 303,
    headers: ['Location', location],
  })
}
