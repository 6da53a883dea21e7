import { IncomingMessage, ServerResponse } from 'node:http'
import type { Express } from 'express'

/** The request and response classes of a server. */
export interface ExpressClasses {
  readonly IncomingMessage: typeof IncomingMessage
  readonly ServerResponse: typeof ServerResponse
}

/**
 * Creates classes whose instances have the prototypes that Express would otherwise set on every request and
 * response. Changing the prototype of an existing object creates a hidden class each time, which costs more
 * than the rest of Express and fills old space.
 */
export function createExpressClasses(app: Express): ExpressClasses {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<T extends IncomingMessage> extends ServerResponse<T> {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request)
  Object.setPrototypeOf(ExpressResponse.prototype, app.response)
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype })
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }
}
