import type { Migration } from '@sheaf/kit/postgres/database'
import { headsAndRecords } from './001-heads-and-records'
import { pending } from './002-pending'
import { formats } from './003-formats'
import { keptDocuments } from './004-kept-documents'
import { localDocuments } from './005-local-documents'

/** All migrations of the schema `document_log`, oldest first. */
export const migrations: readonly Migration[] = [
  headsAndRecords,
  pending,
  formats,
  keptDocuments,
  localDocuments,
]
