import type { GrpcChannel } from '@sheaf/kit/grpc-client'
import {
  DocumentsServiceClientImpl,
  type DocumentsService,
} from '@sheaf/protos/sheaf/directory/v1/documents'
import { OrgsServiceClientImpl, type OrgsService } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { UsersServiceClientImpl, type UsersService } from '@sheaf/protos/sheaf/directory/v1/users'
import {
  WorkspacesServiceClientImpl,
  type WorkspacesService,
} from '@sheaf/protos/sheaf/directory/v1/workspaces'

/** Clients of directory. */
export interface DirectoryClients {
  readonly documents: DocumentsService
  readonly orgs: OrgsService
  readonly users: UsersService
  readonly workspaces: WorkspacesService
}

/** Clients that share a channel. */
export function createDirectoryClients(channel: GrpcChannel): DirectoryClients {
  return {
    documents: new DocumentsServiceClientImpl(channel),
    orgs: new OrgsServiceClientImpl(channel),
    users: new UsersServiceClientImpl(channel),
    workspaces: new WorkspacesServiceClientImpl(channel),
  }
}
