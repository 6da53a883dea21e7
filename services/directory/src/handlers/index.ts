import { serve, type ServedService } from '@sheaf/kit/grpc/server'
import { AccessServiceService } from '@sheaf/protos/sheaf/directory/v1/access'
import { DocumentsServiceService } from '@sheaf/protos/sheaf/directory/v1/documents'
import { FormsServiceService } from '@sheaf/protos/sheaf/directory/v1/forms'
import { OrgsServiceService } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { WorkspacesServiceService } from '@sheaf/protos/sheaf/directory/v1/workspaces'
import type { Context } from '../context'
import { access } from './access'
import { accessLists } from './access-lists'
import { documentPreferences } from './document-preferences'
import { documents } from './documents'
import { forms } from './forms'
import { guardKeyScope } from './key-scope'
import { createOperatorServices } from './operator'
import { orgs } from './orgs'
import { workspaces } from './workspaces'

/** All services of directory with their handlers, restricted by the scopes of API keys. */
export function createServices(ctx: Context): ServedService[] {
  const services = [
    serve(
      AccessServiceService,
      { ...access(ctx), ...accessLists(ctx) },
      { open: ['resolveAccess', 'listVerificationKeys'] },
    ),
    serve(DocumentsServiceService, { ...documents(ctx), ...documentPreferences(ctx) }),
    serve(FormsServiceService, forms(ctx)),
    serve(OrgsServiceService, orgs(ctx)),
    serve(WorkspacesServiceService, workspaces(ctx)),
    ...createOperatorServices(ctx),
  ]
  return services.map((service) => guardKeyScope(ctx, service))
}
