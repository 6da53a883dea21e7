import { loopback } from './free-port'

/** What differs between one Sheaf's NATS server and another's. */
export interface NatsSettings {
  port: number
  user: string
  password: string
  storeDir: string
}

/** A document's log entries travel in batches; this leaves room above their bound. */
const maxPayload = '8MB'

/** The configuration file; the credentials are here since a command line is visible to everybody. */
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

/** The format reads double-quoted strings as JSON does, but for \\u escapes, which it lacks. */
function quote(text: string): string {
  return JSON.stringify(text)
}
