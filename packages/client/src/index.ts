export { Attachments } from './attachments.ts'
export type {
  AttachmentSelection,
  DownloadOptions,
  UploadFile,
  UploadOptions,
} from './attachments.ts'
export type {
  AppliedActions,
  AppliedBatch,
  AppliedOperation,
  BatchOperation,
  TempId,
  UserAction,
} from './batch.ts'
export type { CallOptions, CellWriteOptions, ReadOptions, WriteOptions } from './call-options.ts'
export type { ChangesOptions } from './change-feed.ts'
export type { Change, HistoryChange, RowOperation, SchemaOperation } from './change.ts'
export { Columns } from './columns.ts'
export type { AddOrUpdateColumnsOptions } from './columns.ts'
export type { Call, Query } from './connection.ts'
export { Doc } from './document.ts'
export type { BatchResult, RestoreOptions, SqlOptions, SqlValue, Trial } from './document.ts'
export type { AnyDocument, Cell, DocumentTypes, Row, TableTypes } from './document-types.ts'
export { Documents } from './documents.ts'
export type { ImportDocumentOptions, NewDocument } from './documents.ts'
export type { DryRun } from './dry-run.ts'
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  RateLimitedError,
  SheafError,
  TimeoutError,
  TooLargeError,
  UnavailableError,
} from './errors.ts'
export type { HistorySelection } from './history.ts'
export { createIdempotencyKey } from './idempotency-key.ts'
export type {
  ImportedDocument,
  ImportedTable,
  ImportedTables,
  ImportOptions,
  ImportPreview,
  ImportTablesOptions,
  ImportTarget,
  PreviewedColumn,
  PreviewedTable,
  PreviewImportOptions,
} from './imports.ts'
export type { Upload, UploadProgress } from './http-request.ts'
export type { PresencePlace, PresentSession } from './presence.ts'
export type {
  Attachment,
  Column,
  ColumnFields,
  ColumnSettings,
  ColumnUpdate,
  DocumentDescription,
  DocumentSummary,
  NewColumn,
  NewTable,
  NewWebhook,
  Org,
  Role,
  TableDescription,
  TableUpdate,
  View,
  FormSettings,
  FormSettingsField,
  ViewFields,
  ViewSettings,
  Webhook,
  WebhookDelivery,
  WebhookReplay,
  WebhookSecrets,
  WebhookUpdate,
  WebhookUsage,
  Workspace,
} from './resources.ts'
export type { AggregateName, Group, GroupCounts, Groups, GroupSelection } from './groups.ts'
export type { RetryLimits } from './retry-policy.ts'
export type {
  Filter,
  Operators,
  Page,
  PageSelection,
  Position,
  Selection,
  SortKey,
  TextSearch,
} from './selection.ts'
export { Sheaf } from './sheaf.ts'
export type { SheafOptions } from './sheaf.ts'
export { Table } from './table.ts'
export type {
  AddedOrUpdated,
  AddOrUpdateOptions,
  ColumnValues,
  RecordUpdate,
  RequiredRecord,
  ValueSelection,
} from './table.ts'
export type { Fetch } from './transport.ts'
export { Webhooks } from './webhooks.ts'
export type { DeliverySelection } from './webhooks.ts'
export { Workspaces } from './workspaces.ts'
export type { OrgOptions } from './workspaces.ts'
