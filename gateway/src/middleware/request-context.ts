import type { RequestHandler } from 'express'
import type { Context } from '../context'
import { Exchange, type SheafResponse } from '../http/exchange'

/** Creates the exchange of each request: its id, its log line, and its cancellation. */
export function requestContext(context: Context): RequestHandler {
  return (request, response, next) => {
    response.locals.exchange = new Exchange(context, request, response as SheafResponse)
    next()
  }
}
