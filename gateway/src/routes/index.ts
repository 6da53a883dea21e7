import type { Route } from '../routing/route'
import { accessRoutes } from './access'
import { actionRoutes } from './actions'
import { attachmentStoreRoutes } from './attachment-stores'
import { attachmentRoutes } from './attachments'
import { changeRoutes } from './changes'
import { columnRoutes } from './columns'
import { dataRoutes } from './data'
import { documentCopyRoutes } from './document-copy'
import { documentLifecycleRoutes } from './document-lifecycle'
import { documentRoutes } from './documents'
import { downloadRoutes } from './downloads'
import { formulaRoutes } from './formulas'
import { historyRoutes } from './history'
import { importRoutes } from './import'
import { keyRoutes } from './keys'
import { mcpRoutes } from './mcp'
import { openApiRoutes } from './openapi'
import { orgRoutes } from './orgs'
import { profileRoutes } from './profile'
import { recordRoutes } from './records'
import { sessionRoutes } from './session'
import { sessionsRoutes } from './sessions'
import { sqlRoutes } from './sql'
import { statusRoutes } from './status'
import { tableRoutes } from './tables'
import { userDeletionRoutes } from './user-deletion'
import { webhookDeliveryRoutes } from './webhook-deliveries'
import { webhookRoutes } from './webhooks'
import { workspaceRoutes } from './workspaces'

/** The table of routes, served and described. The most frequent ones come first. */
export const routes: readonly Route[] = [
  ...recordRoutes,
  ...dataRoutes,
  ...columnRoutes,
  ...tableRoutes,
  ...actionRoutes,
  ...sqlRoutes,
  ...changeRoutes,
  ...webhookRoutes,
  ...attachmentStoreRoutes,
  ...attachmentRoutes,
  ...documentRoutes,
  ...documentLifecycleRoutes,
  ...documentCopyRoutes,
  ...downloadRoutes,
  ...formulaRoutes,
  ...historyRoutes,
  ...importRoutes,
  ...webhookDeliveryRoutes,
  ...workspaceRoutes,
  ...orgRoutes,
  ...profileRoutes,
  ...sessionRoutes,
  ...sessionsRoutes,
  ...keyRoutes,
  ...accessRoutes,
  ...userDeletionRoutes,
  ...mcpRoutes,
  ...openApiRoutes,
  ...statusRoutes,
]
