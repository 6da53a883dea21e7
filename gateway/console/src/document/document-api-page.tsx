import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { docPath, tablePath } from '../api/paths'
import { CopyText } from '../components/copy-text'
import { Section } from '../components/page'
import { useDocumentContext } from '../document-context/document-context'

/** Example API calls for this document, as shell commands. */
export function DocumentApiPage(): ReactNode {
  const { docId, tables } = useDocumentContext()
  const { origin } = window.location
  const auth = `-H "Authorization: Bearer $KEY"`
  const json = `-H "Content-Type: application/json"`
  const first = tables[0]?.id
  const table = `${origin}${tablePath(docId, first ?? 'Table1')}`
  const lines: readonly (readonly [string, string])[] = [
    ['Describe the document', `curl ${auth} ${origin}${docPath(docId)}`],
    ['List tables', `curl ${auth} ${origin}${docPath(docId)}/tables`],
    ['Read records', `curl ${auth} "${table}/records?limit=10"`],
    ['Add a record', `curl ${auth} ${json} ${table}/records -d '{"records":[{"fields":{}}]}'`],
    [
      'Run SQL',
      `curl ${auth} ${json} ${origin}${docPath(docId)}/sql -d '{"sql":"select 1 as one"}'`,
    ],
    ['Download as SQLite', `curl ${auth} -OJ ${origin}${docPath(docId)}/download`],
  ]
  return (
    <div className="pane">
      <Section
        title="API calls for this document"
        description={
          <>
            Set <code>KEY</code> to your API key. <Link to="/profile">Manage API keys</Link> ·{' '}
            <Link to="/api">API reference</Link>
          </>
        }
      >
        {lines.map(([what, line]) => (
          <div key={what} className="call">
            <h3>{what}</h3>
            <CopyText label={`call: ${what}`} text={line} isBlock />
          </div>
        ))}
      </Section>
    </div>
  )
}
