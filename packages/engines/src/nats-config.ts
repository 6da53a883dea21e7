import { loopback } from './free-port'

/** Settings that differ between NATS servers of different installations. */
export interface NatsSettings {
  port: number
  user: string
  password: string
  storeDir: string
}

/** Log entries of a document are published in batches; this leaves room above their limit. */
const maxPayload = '8MB'

/**
 * Renders the configuration file, including the credentials, since command lines are visible to all users.
 */
export function natsConfig({ port, user, password, storeDir }: NatsSettings): string {
  return `server_name: sheaf
host: ${quote(loopback)}
port: ${port}
max_payload: ${maxPayload}
authorization {
  user: ${quote(user)}
  password: ${quote(password)}
}
jetstream {
  store_dir: ${quote(storeDir)}
  # fsync before a message is acknowledged
  sync_interval: always
}
`
}

/** The format reads double-quoted strings like JSON, except for \\u escapes, which it lacks. */
function quote(text: string): string {
  return JSON.stringify(text)
}
