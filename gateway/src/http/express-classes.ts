import { IncomingMessage, ServerResponse } from 'node:http'
import type { Express } from 'express'

/** Classes of the requests of a server and of their answers. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage
  readonly ServerResponse: typeof ServerResponse
}

/**
 * Classes whose instances have the prototypes that Express gives to every request of its app and to the answer. To change a
 * prototype makes a hidden class of its own, which costs more than all else that Express does and fills old space.
 */
export function createMessageClasses(app: Express): MessageClasses {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<T extends IncomingMessage> extends ServerResponse<T> {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request)
  Object.setPrototypeOf(ExpressResponse.prototype, app.response)
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype })
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }
}
