import type { Route } from '../route'
import { accessRoutes } from './access'
import { actionRoutes } from './actions'
import { columnRoutes } from './columns'
import { dataRoutes } from './data'
import { documentCopyRoutes } from './document-copy'
import { documentLifecycleRoutes } from './document-lifecycle'
import { documentRoutes } from './documents'
import { importRoutes } from './import'
import { keyRoutes } from './keys'
import { openApiRoutes } from './openapi'
import { orgRoutes } from './orgs'
import { profileRoutes } from './profile'
import { recordRoutes } from './records'
import { statusRoutes } from './status'
import { tableRoutes } from './tables'
import { userDeletionRoutes } from './user-deletion'
import { workspaceRoutes } from './workspaces'

/** The table of routes: what is served, and what is described. Those that are asked most come first. */
export const routes: readonly Route[] = [
  ...recordRoutes,
  ...dataRoutes,
  ...columnRoutes,
  ...tableRoutes,
  ...actionRoutes,
  ...documentRoutes,
  ...documentLifecycleRoutes,
  ...documentCopyRoutes,
  ...importRoutes,
  ...workspaceRoutes,
  ...orgRoutes,
  ...profileRoutes,
  ...keyRoutes,
  ...accessRoutes,
  ...userDeletionRoutes,
  ...openApiRoutes,
  ...statusRoutes,
]
