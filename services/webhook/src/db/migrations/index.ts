import type { Migration } from '@sheaf/kit/postgres/database'
import { init } from './001-init'
import { webhooks } from './002-webhooks'
import { refsSeq } from './003-refs-seq'
import { fairDelivery } from './004-fair-delivery'

/** All migrations of the schema `webhook`, oldest first. */
export const migrations: readonly Migration[] = [init, webhooks, refsSeq, fairDelivery]
