import type { GrpcChannel } from '@sheaf/kit/grpc/client'
import {
  AccessServiceClientImpl,
  type AccessService,
} from '@sheaf/protos/sheaf/directory/v1/access'
import {
  DocumentsServiceClientImpl,
  type DocumentsService,
} from '@sheaf/protos/sheaf/directory/v1/documents'
import { FormsServiceClientImpl, type FormsService } from '@sheaf/protos/sheaf/directory/v1/forms'
import { HomesServiceClientImpl, type HomesService } from '@sheaf/protos/sheaf/directory/v1/homes'
import { KeysServiceClientImpl, type KeysService } from '@sheaf/protos/sheaf/directory/v1/keys'
import { OrgsServiceClientImpl, type OrgsService } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { UsersServiceClientImpl, type UsersService } from '@sheaf/protos/sheaf/directory/v1/users'
import {
  ProfileServiceClientImpl,
  type ProfileService,
} from '@sheaf/protos/sheaf/directory/v1/profile'
import {
  SessionsServiceClientImpl,
  type SessionsService,
} from '@sheaf/protos/sheaf/directory/v1/sessions'
import {
  WorkspacesServiceClientImpl,
  type WorkspacesService,
} from '@sheaf/protos/sheaf/directory/v1/workspaces'

/** Clients of directory. */
export interface DirectoryClients {
  readonly access: AccessService
  readonly documents: DocumentsService
  readonly forms: FormsService
  readonly homes: Pick<HomesService, 'listHomes'>
  readonly keys: KeysService
  readonly orgs: OrgsService
  readonly profile: ProfileService
  readonly sessions: SessionsService
  readonly users: UsersService
  readonly workspaces: WorkspacesService
}

/** Creates clients that share a channel. */
export function createDirectoryClients(channel: GrpcChannel): DirectoryClients {
  return {
    access: new AccessServiceClientImpl(channel),
    documents: new DocumentsServiceClientImpl(channel),
    forms: new FormsServiceClientImpl(channel),
    homes: new HomesServiceClientImpl(channel),
    keys: new KeysServiceClientImpl(channel),
    orgs: new OrgsServiceClientImpl(channel),
    profile: new ProfileServiceClientImpl(channel),
    sessions: new SessionsServiceClientImpl(channel),
    users: new UsersServiceClientImpl(channel),
    workspaces: new WorkspacesServiceClientImpl(channel),
  }
}
