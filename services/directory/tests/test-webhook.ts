import { requireDocumentRole, requireSystem } from '@sheaf/auth/require-access'
import type { ServerCall } from '@sheaf/auth/server-call'
import { serve, startGrpcServer } from '@sheaf/kit/grpc/server'
import { createLogger } from '@sheaf/kit/logger'
import {
  DocumentsServiceService,
  type DeleteDocumentRequest,
} from '@sheaf/protos/sheaf/webhook/v1/documents'
import { createVerifier } from './test-home'
import type { TestDirectory } from './test-directory'

/** A webhook service that only remembers of which documents it heard. */
export interface TestWebhook extends AsyncDisposable {
  readonly address: string
  /** Ids of the documents that it was told to delete, as often as it was told. */
  readonly deleted: string[]
  /** Calls that have come and not ended. */
  readonly waiting: ReadonlySet<ServerCall>
  /** True to leave every call without an answer. */
  isFrozen: boolean
}

/** Starts one that verifies its callers by the keys of a directory, which may start later. */
export async function startTestWebhook(
  directory: Pick<TestDirectory, 'clients'>,
  listen = '127.0.0.1:0',
): Promise<TestWebhook> {
  const waiting = new Set<ServerCall>()
  const handlers = {
    async deleteDocument({ docId }: DeleteDocumentRequest, call: ServerCall) {
      requireSystem(call)
      requireDocumentRole(call, docId, 'owners')
      if (webhook.isFrozen) {
        waiting.add(call)
        await new Promise<void>((resolve) => call.signal.addEventListener('abort', () => resolve()))
        waiting.delete(call)
      } else webhook.deleted.push(docId)
      return {}
    },
  }
  const server = await startGrpcServer({
    listen,
    services: [serve(DocumentsServiceService, handlers)],
    verifier: createVerifier(directory),
    log: createLogger('test-webhook'),
  })
  const webhook: TestWebhook = {
    address: server.address,
    deleted: [],
    waiting,
    isFrozen: false,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return webhook
}
