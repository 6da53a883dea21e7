import type { Env } from './config'
import { findNearest } from './near-miss'

/** The settings of all processes of Sheaf and of its command, with former names; a secret may also end in `_FILE`. */
export const settingNames: readonly string[] = `
  SHEAF_ACCESS_AUDIT_DAYS SHEAF_ALLOWED_ORIGINS SHEAF_API_KEY SHEAF_AUTO_INDEXES SHEAF_BASE_DOMAIN SHEAF_CACHE SHEAF_CHANGES_DAYS
  SHEAF_CHANGES_MB SHEAF_CHANGES_REPLICAS SHEAF_CHANGE_STREAMS SHEAF_COMMAND SHEAF_DATA SHEAF_DIRECTORY_ADDRESS
  SHEAF_DIRECTORY_CONNECTIONS SHEAF_DIRECTORY_LISTEN SHEAF_DIRECTORY_WAITING SHEAF_DOCUMENT_DATA_ADDRESS
  SHEAF_DOCUMENT_DATA_LISTEN SHEAF_FORMULA_CELLS SHEAF_FORMULA_COMPILER SHEAF_FORMULA_EVALUATORS SHEAF_FORMULA_MEMORY_MB SHEAF_FORMULA_MS
  SHEAF_HEALTH_LISTEN SHEAF_HOME SHEAF_HOST SHEAF_IDLE_SECONDS
  SHEAF_IMPORT_SECONDS SHEAF_INSTANCES SHEAF_INSTANCE_NAME SHEAF_LEAVE_SECONDS SHEAF_LOG_DATABASE_URL SHEAF_LOG_LEVEL SHEAF_LOOP_DELAY_MS
  SHEAF_MAIL_FROM SHEAF_MAX_ATTACHMENTS_MB SHEAF_MAX_ATTACHMENT_MB SHEAF_MAX_BODY_MB SHEAF_MAX_IMPORT_MB
  SHEAF_METRICS_LISTEN SHEAF_OIDC_CLIENT_ID SHEAF_OIDC_CLIENT_SECRET SHEAF_OIDC_ISSUER SHEAF_OIDC_SIGN_UP
  SHEAF_OPEN_DOCUMENTS SHEAF_OWNER_EMAIL SHEAF_PENDING_BODY_MB SHEAF_PENDING_MB SHEAF_PENDING_READS
  SHEAF_PENDING_REQUESTS SHEAF_PENDING_REQUESTS_MB SHEAF_PENDING_WRITES SHEAF_PENDING_WRITES_MB SHEAF_PORT
  SHEAF_PROXIES SHEAF_PUBLIC_URL SHEAF_RATE_LIMIT SHEAF_READ_SECONDS SHEAF_REPLICATED SHEAF_REQUEST_TIMEOUT_SECONDS
  SHEAF_SERVICE_KEY SHEAF_SESSION_DAYS SHEAF_SESSION_IDLE_HOURS SHEAF_SLOW_REQUEST_MS SHEAF_SMTP_URL
  SHEAF_SQL_MEMORY_MB SHEAF_SQL_PROCESSES SHEAF_SQL_RESULT_MB SHEAF_SQL_ROWS SHEAF_SQL_TIMEOUT_MS
  SHEAF_SQL_WAITING SHEAF_STORE_FOLDER SHEAF_STREAM_TIMEOUT_SECONDS SHEAF_TLS_CA SHEAF_TLS_CERT SHEAF_TLS_KEY SHEAF_TRACES
  SHEAF_TRASH_DAYS SHEAF_URL SHEAF_WEBHOOK_ADDRESS SHEAF_WEBHOOK_ALLOWED_HOSTS SHEAF_WEBHOOK_LISTEN
  SHEAF_WEBHOOK_QUEUE SHEAF_WEBHOOK_QUEUE_MB SHEAF_WORKERS
`
  .trim()
  .split(/\s+/)

/** Variables of the tests. */
const TOOLS = /^SHEAF_(TEST|FUZZ|SOAK|CONFORMANCE)_|^SHEAF_CHROMIUM$/

/**
 * Returns a sentence for each variable that begins with `SHEAF_` and is no setting, with the name that it resembles most.
 * Variables that Kubernetes derives from the names of its services are not meant as settings.
 */
export function describeUnknownSettings(env: Env): string[] {
  const services = Object.keys(env)
    .filter((name) => name.endsWith('_SERVICE_HOST'))
    .map((name) => name.slice(0, -'_SERVICE_HOST'.length))
  const isLink = (name: string) =>
    services.some((service) => new RegExp(`^${service}_(SERVICE|PORT)(_|$)`).test(name))
  return Object.keys(env)
    .filter((name) => /^SHEAF_\w+$/.test(name) && env[name] !== undefined)
    .filter((name) => !isSetting(name) && !TOOLS.test(name) && !isLink(name))
    .sort()
    .map(
      (name) =>
        `${name} is not a setting and is ignored; the nearest name is ${findNearest(name, settingNames)?.known}`,
    )
}

function isSetting(name: string): boolean {
  return settingNames.includes(name.replace(/_FILE$/, ''))
}
