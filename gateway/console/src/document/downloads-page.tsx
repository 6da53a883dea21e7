import { useState, type ReactNode } from 'react'
import { docPath, toUrl } from '../api/paths'
import { SelectField } from '../components/field'
import { Section } from '../components/page'
import { useDocumentContext } from '../document-context/document-context'

const tableFormats = [
  ['csv', 'CSV'],
  ['tsv', 'TSV'],
  ['xlsx', 'Excel (XLSX)'],
  ['table-schema', 'Table Schema (JSON)'],
] as const

const documentFormats = [
  ['With history (SQLite)', {}],
  ['Without history (SQLite)', { nohistory: true }],
  ['Structure only (SQLite)', { template: true }],
] as const

/** Downloads of the document and its tables. */
export function DownloadsPage(): ReactNode {
  const { docId, tables } = useDocumentContext()
  const [tableId = '', setTableId] = useState(tables[0]?.id)
  const [header, setHeader] = useState('label')
  const path = `${docPath(docId)}/download`
  return (
    <div className="pane">
      <Section title="Table">
        {tables.length === 0 ? (
          <p className="note">This document has no tables.</p>
        ) : (
          <>
            <div className="inline-form">
              <SelectField
                label="Table"
                value={tableId}
                options={tables.map(({ id }) => [id, id] as const)}
                onChange={({ target }) => setTableId(target.value)}
              />
              <SelectField
                label="Column headers"
                value={header}
                options={[
                  ['label', 'Labels'],
                  ['colId', 'Column ids'],
                ]}
                onChange={({ target }) => setHeader(target.value)}
              />
            </div>
            <div className="actions">
              {tableFormats.map(([format, name]) => (
                <a
                  key={format}
                  className="button plain"
                  href={toUrl(`${path}/${format}`, { tableId, header })}
                  download
                >
                  {name}
                </a>
              ))}
            </div>
          </>
        )}
      </Section>
      <Section title="Document" description="SQLite files can be imported again.">
        <div className="actions">
          {documentFormats.map(([name, query]) => (
            <a key={name} className="button plain" href={toUrl(path, query)} download>
              {name}
            </a>
          ))}
          <a className="button plain" href={`${path}/xlsx`} download>
            All tables (XLSX)
          </a>
        </div>
      </Section>
    </div>
  )
}
