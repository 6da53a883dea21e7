import type { AppError } from '@sheaf/kit/errors'
import type { Exchange } from '../http/exchange'
import { sendBytes, sendRefusal } from '../http/reply'
import { pageHead } from './page-headers'
import { renderErrorPage } from './page'

/** Answers with a page. */
export function sendPage(exchange: Exchange, page: Buffer): void {
  sendBytes(exchange, page, pageHead)
}

/** Answers with an error as a page for people. */
export function sendErrorPage(exchange: Exchange, error: AppError): void {
  sendRefusal(exchange, error, renderErrorPage(error), pageHead)
}

/** Sends the browser on to another page, which it asks for by GET. */
export function sendRedirect(exchange: Exchange, location: string): void {
  sendBytes(exchange, Buffer.alloc(0), {
    ...pageHead,
    status: 303,
    headers: ['Location', location],
  })
}
