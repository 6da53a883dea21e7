import type { Migration } from '@sheaf/kit/database'
import { init } from './001-init'

/** All steps of the schema `webhook`, oldest first. */
export const migrations: readonly Migration[] = [init]
