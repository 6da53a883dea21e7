import { createTokenVerifier, type TokenVerifier } from '@sheaf/auth/caller-token'
import { requireSystem } from '@sheaf/auth/require-access'
import type { ServerCall } from '@sheaf/auth/server-call'
import { serve, startGrpcServer } from '@sheaf/kit/grpc/server'
import { createLogger } from '@sheaf/kit/logger'
import {
  DocumentsServiceService,
  type DeleteDocumentRequest,
} from '@sheaf/protos/sheaf/document_data/v1/documents'
import type { ReportHomeRequest } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { JSONWebKeySet } from 'jose'
import type { TestDirectory } from './test-directory'

/** A document-data instance that only remembers what it was told to delete. */
export interface TestHome extends AsyncDisposable {
  readonly name: string
  readonly address: string
  /** Ids of the documents that it was told to delete, as often as it was told. */
  readonly deleted: string[]
  /** Ids of those of which it was to keep the contents. */
  readonly kept: string[]
  /** What it says instead of confirming; undefined to confirm. */
  refusal?: Error
}

/** Verifies callers as every service does, with the keys that directory gives out. */
export function createVerifier({ clients }: Pick<TestDirectory, 'clients'>): TokenVerifier {
  return createTokenVerifier(async () => {
    const { jwks } = await clients.access.listVerificationKeys({})
    return JSON.parse(jwks) as JSONWebKeySet
  })
}

/** Starts an instance that verifies its callers, and reports it to directory. */
export async function startTestHome(
  directory: TestDirectory,
  name = 'document-data-0',
  { listen = '127.0.0.1:0', ...report }: Partial<ReportHomeRequest> & { listen?: string } = {},
): Promise<TestHome> {
  const handlers = {
    async deleteDocument({ docId, keeps }: DeleteDocumentRequest, call: ServerCall) {
      requireSystem(call)
      expect(call.caller).toMatchObject({ docId, home: name })
      if (home.refusal) throw home.refusal
      home.deleted.push(docId)
      if (keeps) home.kept.push(docId)
      return {}
    },
  }
  const server = await startGrpcServer({
    listen,
    services: [serve(DocumentsServiceService, handlers)],
    verifier: createVerifier(directory),
    log: createLogger('test-home'),
  })
  const home: TestHome = {
    name,
    address: server.address,
    deleted: [],
    kept: [],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  await directory.reportHome({ name, address: server.address, ...report })
  return home
}
