import { AppError, toAppError } from '@sheaf/kit/errors'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Exchange, SheafResponse } from '../http/exchange'
import { sendErrorPage } from '../pages/send-page'
import { sendError } from '../http/reply'

/** Answers what no route has matched. */
export const notFound: RequestHandler = ({ originalUrl }) => {
  throw new AppError('not_found', 'NOT_FOUND', `not found: ${originalUrl}`)
}

/** Answers what a handler of Express has thrown. */
export const errorHandler: ErrorRequestHandler = (thrown: unknown, _request, response, next) => {
  const { exchange } = (response as SheafResponse).locals
  if (exchange) answerThrown(exchange, thrown)
  else next(thrown)
}

/**
 * Turns what was thrown into an answer. What nobody can act on is a bug: it is logged here, and its text stays here;
 * the answer has the id to find it by.
 */
export function answerThrown(exchange: Exchange, thrown: unknown): void {
  const { response } = exchange
  const error = toAppError(thrown) ?? fromExpress(thrown) ?? fromBug(thrown, exchange)
  if (response.headersSent) response.destroy()
  else if (response.destroyed) return
  else if (exchange.route?.isPage) sendErrorPage(exchange, withRequestId(error, exchange))
  else sendError(exchange, withRequestId(error, exchange))
}

/** What Express itself refuses: an escape in the path that means nothing. */
function fromExpress(thrown: unknown): AppError | undefined {
  if (!(thrown instanceof URIError)) return undefined
  return new AppError('invalid', 'MALFORMED_PATH', thrown.message)
}

function fromBug(thrown: unknown, { context, requestId, route }: Exchange): AppError {
  context.log.error(
    { err: thrown, requestId, route: route?.path },
    'request failed with an internal error',
  )
  return new AppError('internal', 'INTERNAL', 'internal error')
}

function withRequestId(error: AppError, { requestId }: Exchange): AppError {
  if (error.code !== 'internal') return error
  return new AppError('internal', error.reason, error.message, { ...error.metadata, requestId })
}
