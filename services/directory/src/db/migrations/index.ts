import type { Migration } from '@sheaf/kit/database'
import { init } from './001-init'
import { accessAudit } from './003-access-audit'

/** All steps of the schema `directory`, oldest first. */
export const migrations: readonly Migration[] = [init, accessAudit]
