import type { ColumnType, Generated } from 'kysely'

/** Roles that can be granted; `guests` is derived, never stored. PostgreSQL orders them by strength. */
export type GrantedRole = 'members' | 'viewers' | 'editors' | 'owners'

/** The strongest role that a child inherits from its parent; null blocks inheritance. */
export type InheritedRole = 'viewers' | 'editors' | 'owners' | null

/** The anonymous user, seeded with this id. */
export const ANONYMOUS_ID = 1

/** The user that represents everybody, signed in or not; seeded with this id. */
export const EVERYONE_ID = 2

type CreatedAt = ColumnType<Date, never, never>
type UpdatedAt = ColumnType<Date, never, Date>
/** When it was moved to the trash; null otherwise. */
type RemovedAt = ColumnType<Date | null, never, Date | null>

interface UsersTable {
  id: Generated<number>
  kind: ColumnType<'login' | 'anonymous' | 'everyone', 'login', never>
  email: string
  name: string
  picture: string | null
  created_at: CreatedAt
}

/** The stored caps of a key; an absent one does not restrict. */
export interface KeyCapsRow {
  readonly rowsPerCall?: number | undefined
  readonly rowsPerHour?: number | undefined
  readonly tables?: readonly string[] | undefined
  readonly noStructure?: boolean | undefined
}

interface ApiKeysTable {
  id: Generated<number>
  user_id: number
  name: string
  prefix: string
  hash: Buffer
  created_at: CreatedAt
  expires_at: Date | null
  last_used_at: ColumnType<Date | null, never, Date>
  revoked_at: ColumnType<Date | null, never, Date>
  is_default: boolean
  read_only: boolean
  scope_orgs: number[]
  scope_workspaces: number[]
  scope_documents: string[]
  caps: KeyCapsRow | null
}

interface KeyDocumentsTable {
  key_id: number
  document_id: number
  used_at: CreatedAt
}

interface FormKeysTable {
  document_id: number
  view_id: number
  key: string
  hash: Buffer
  created_by: number | null
  created_at: CreatedAt
}

interface SessionsTable {
  id: Generated<number>
  user_id: number
  hash: Buffer
  user_agent: string
  created_at: CreatedAt
  last_used_at: Date
  lasts_until: Date
}

interface SignInLinksTable {
  hash: Buffer
  user_id: number
  origin: 'operator' | 'mail'
  next: string
  created_at: CreatedAt
  expires_at: Date
}

interface OrgsTable {
  id: Generated<number>
  name: string
  domain: string | null
  owner_id: number | null
  created_at: CreatedAt
  updated_at: UpdatedAt
}

interface WorkspacesTable {
  id: Generated<number>
  org_id: number
  name: string
  max_inherited_role: ColumnType<InheritedRole, InheritedRole | undefined, InheritedRole>
  created_at: CreatedAt
  updated_at: UpdatedAt
  removed_at: RemovedAt
}

/** `waiting`: until its instance has stored it outside of its disk; `local`: until an operator has that done. */
export type DocumentPin = 'waiting' | 'local'

interface DocumentsTable {
  id: Generated<number>
  doc_id: string
  org_id: number
  workspace_id: number
  name: string
  url_id: string | null
  is_pinned: boolean
  max_inherited_role: ColumnType<InheritedRole, InheritedRole | undefined, InheritedRole>
  home: string
  assignment: Generated<number>
  /** Format that its file has or may get, if it is replicated; 0 while that is not known. */
  format: Generated<number>
  /** Why it is assigned to no other instance: it is on the disk of its own alone. */
  pinned: DocumentPin | null
  created_by: number | null
  created_at: CreatedAt
  updated_at: UpdatedAt
  /** User who changed it last, who may have been deleted; null for the system, or if that is not known. */
  updated_by: number | null
  published_at: Date | null
  removed_at: RemovedAt
}

interface DeletedDocumentsTable {
  doc_id: string
  org_id: number
  workspace_id: number
  workspace_name: string
  name: string
  /** The instance that had its file. */
  home: string
  /** True if no other one has what is kept of it, though that one is replicated. */
  is_pinned: Generated<boolean>
  /** True if the owners of the org were owners of the document by inheritance. */
  is_inherited: boolean
  /** The user who deleted it; null for none, and when that user is deleted. */
  deleted_by: number | null
  deleted_at: CreatedAt
}

interface GrantColumns {
  user_id: number
  role: GrantedRole
}

interface AccessAuditTable {
  id: Generated<number>
  changed_at: CreatedAt
  request_id: string
  actor_id: number
  actor_email: string
  org_id: number
  level: 'org' | 'workspace' | 'document'
  resource_id: number
  what:
    'role' | 'max_inherited_role' | 'form_link_created' | 'form_link_renewed' | 'form_link_removed'
  /** The form, of a link. */
  view_id: number | null
  subject_id: number | null
  subject_email: string | null
  old_role: GrantedRole | null
  new_role: GrantedRole | null
}

interface OutboxTable {
  id: ColumnType<number, never, never>
  consumer: string
  kind: 'document_deleted' | 'document_event' | 'access_event'
  doc_id: string | null
  payload: unknown
  home: string
  attempts: number
  due_at: Date
  created_at: CreatedAt
}

interface HomesTable {
  name: string
  address: string
  free_bytes: number
  reported_at: Date
  /** Random id of the process that has, or had, the lease; null without replication. */
  start_id: string | null
  /** When its lease ends or has ended; null without replication. */
  lease_until: Date | null
  /** True when it hands its documents over, and gets no others. */
  drained: Generated<boolean>
  /** Share of the recent time in which its event loop was busy. */
  load: Generated<number>
  /** What it understands of its requests. */
  protocol: Generated<number>
  /** Oldest and newest format of document files that it can use; 0 while it has reported none. */
  format_min: Generated<number>
  format_max: Generated<number>
}

interface AccessLeasesTable {
  holder_id: string
  expires_at: Date
  dropped_version: number
}

interface SigningKeysTable {
  kid: string
  private_jwk: string
  public_jwk: string
  created_at: CreatedAt
}

/** The tables of the PostgreSQL schema `directory` after all migrations. */
export interface DirectorySchema {
  users: UsersTable
  api_keys: ApiKeysTable
  key_documents: KeyDocumentsTable
  form_keys: FormKeysTable
  sessions: SessionsTable
  sign_in_links: SignInLinksTable
  orgs: OrgsTable
  workspaces: WorkspacesTable
  documents: DocumentsTable
  org_grants: GrantColumns & { org_id: number }
  workspace_grants: GrantColumns & { workspace_id: number }
  document_grants: GrantColumns & { document_id: number }
  deleted_documents: DeletedDocumentsTable
  access_audit: AccessAuditTable
  homes: HomesTable
  outbox: OutboxTable
  outbox_consumers: { name: string }
  access_state: { id: ColumnType<1, never, never>; version: number }
  access_leases: AccessLeasesTable
  signing_keys: SigningKeysTable
}
