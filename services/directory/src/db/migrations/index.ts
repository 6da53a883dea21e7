import type { Migration } from '@sheaf/kit/postgres/database'
import { init } from './001-init'
import { trashOutbox } from './002-trash-outbox'
import { accessAudit } from './003-access-audit'
import { keyScope } from './004-key-scope'
import { webhookOutbox } from './005-webhook-outbox'
import { sessions } from './006-sessions'
import { preferences } from './007-preferences'
import { events } from './008-events'
import { homeLeases } from './009-home-leases'
import { drainedHomes } from './010-drained-homes'
import { keyCaps } from './011-key-caps'
import { homeBalance } from './012-home-balance'
import { keyDocuments } from './013-key-documents'
import { documentFormats, homeProtocol } from './014-versions'
import { deletedDocuments } from './016-deleted-documents'
import { pinnedDocuments } from './017-pinned-documents'
import { documentPreferences } from './018-document-preferences'
import { documentChanges } from './019-document-changes'
import { localDocuments } from './020-local-documents'
import { formKeys } from './021-form-keys'
import { formLinkAudit } from './022-form-link-audit'
import { formLinkEvents } from './023-form-link-events'

/** All migrations of the schema `directory`, oldest first. */
export const migrations: readonly Migration[] = [
  init,
  trashOutbox,
  accessAudit,
  keyScope,
  webhookOutbox,
  sessions,
  preferences,
  events,
  homeLeases,
  drainedHomes,
  keyCaps,
  homeBalance,
  keyDocuments,
  homeProtocol,
  documentFormats,
  deletedDocuments,
  pinnedDocuments,
  documentPreferences,
  documentChanges,
  localDocuments,
  formKeys,
  formLinkAudit,
  formLinkEvents,
]
