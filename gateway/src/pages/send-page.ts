import type { AppError } from '@sheaf/kit/errors'
import type { Exchange } from '../http/exchange'
import { sendBytes, sendRefusal } from '../http/reply'
import { pageHead } from './page-headers'
import { renderErrorPage } from './page'

/** Sends a page. */
export function sendPage(exchange: Exchange, page: Buffer): void {
  sendBytes(exchange, page, pageHead)
}

/** Sends an error as an HTML page. */
export function sendErrorPage(exchange: Exchange, error: AppError): void {
  sendRefusal(exchange, error, renderErrorPage(error), pageHead)
}

/** Redirects the browser to another page, which it requests by GET. */
export function sendRedirect(exchange: Exchange, location: string): void {
  sendBytes(exchange, Buffer.alloc(0), {
    ...pageHead,
    status: 303,
    headers: ['Location', location],
  })
}
