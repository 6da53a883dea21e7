import { useSyncExternalStore, type ReactNode } from 'react'
import { Link } from 'react-router'
import { Section } from '../components/page'
import { tableUrl } from '../document-context/document-context'
import { outbox } from '../writes/outbox'
import { cellCount } from '../writes/unsaved-documents'

/** The documents with cells that are not saved, if there are any. */
export function UnsavedSection(): ReactNode {
  const { documents } = useSyncExternalStore(outbox.watchState, outbox.readState)
  if (documents.length === 0) return null
  return (
    <Section title="Not saved yet">
      <ul className="rows">
        {documents.map(({ docId, docName, tableId, cells }) => (
          <li key={docId}>
            <div className="row-main">
              <span>
                {`${cellCount(cells)} in “`}
                <Link to={tableUrl(docId, tableId)}>{docName}</Link>
                {`” ${cells === 1 ? 'is' : 'are'} not saved yet.`}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}
