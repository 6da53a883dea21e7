import type { Migration } from '@sheaf/kit/database'
import { init } from './001-init'
import { keyScope } from './004-key-scope'

/** All steps of the schema `directory`, oldest first. */
export const migrations: readonly Migration[] = [init, keyScope]
