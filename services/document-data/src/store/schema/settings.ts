import type { LoggedDocument } from '../log/log'
import type { Connection } from '../sqlite/connections'

/** Stores the settings of a document that has none yet. */
export function storeSettings(
  connection: Connection,
  { timezone, documentSettings }: Pick<LoggedDocument, 'timezone' | 'documentSettings'>,
): void {
  connection
    .prepare('INSERT INTO _grist_DocInfo (id, timezone, documentSettings) VALUES (1, ?, ?)')
    .run(timezone, documentSettings)
}
