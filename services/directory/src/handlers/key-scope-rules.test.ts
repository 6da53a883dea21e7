import type { ServedService } from '@sheaf/kit/grpc/server'
import { AccessServiceService } from '@sheaf/protos/sheaf/directory/v1/access'
import { DocumentsServiceService } from '@sheaf/protos/sheaf/directory/v1/documents'
import { FormsServiceService } from '@sheaf/protos/sheaf/directory/v1/forms'
import { HomesServiceService } from '@sheaf/protos/sheaf/directory/v1/homes'
import { KeysServiceService } from '@sheaf/protos/sheaf/directory/v1/keys'
import { OrgsServiceService } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { ProfileServiceService } from '@sheaf/protos/sheaf/directory/v1/profile'
import { SessionsServiceService } from '@sheaf/protos/sheaf/directory/v1/sessions'
import { UsersServiceService } from '@sheaf/protos/sheaf/directory/v1/users'
import { WorkspacesServiceService } from '@sheaf/protos/sheaf/directory/v1/workspaces'
import { scopeRules } from './key-scope-rules'

const services: ServedService['definition'][] = [
  AccessServiceService,
  DocumentsServiceService,
  FormsServiceService,
  HomesServiceService,
  KeysServiceService,
  OrgsServiceService,
  ProfileServiceService,
  SessionsServiceService,
  UsersServiceService,
  WorkspacesServiceService,
]

/** RPCs that are denied to every key with a scope. */
const refused =
  /^(AccessService|FormsService|HomesService|KeysService|SessionsService|UsersService)\/(?!ListAccess$)|\/UpdateProfile$|\/(Get|Update)DocumentPreferences$|\/CreateOrg$/

const rpcs = services.flatMap((service) =>
  Object.values(service).map(({ path }) => path.split('.').at(-1) ?? ''),
)

describe('the rules for keys with a scope', () => {
  it('say of every RPC about places whether such a key may call it', () => {
    const ruled = Object.keys(scopeRules)
    expect([...ruled].sort()).toEqual(rpcs.filter((rpc) => !refused.test(rpc)).sort())
  })

  it('let keys that only read call just what has no side effects', () => {
    for (const [rpc, rule] of Object.entries(scopeRules))
      expect([rpc, rule?.isWrite]).toEqual([rpc, !/\/(Get|List|Read|Resolve)/.test(rpc)])
  })
})
