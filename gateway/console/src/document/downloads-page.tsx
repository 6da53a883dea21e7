import { useState, type ReactNode } from 'react'
import { toUrl } from '../api/client'
import { docPath } from '../api/resources'
import { SelectField } from '../components/field'
import { Section } from '../components/page'
import { useDocumentContext } from '../document-context/document-context'

const tableForms = [
  ['csv', 'CSV'],
  ['tsv', 'TSV'],
  ['xlsx', 'Excel (XLSX)'],
  ['table-schema', 'Table schema (JSON)'],
] as const

const documentForms = [
  ['Whole, with history (SQLite)', {}],
  ['Without history (SQLite)', { nohistory: true }],
  ['Structure alone (SQLite)', { template: true }],
] as const

/** The document and its tables as files, in each form. */
export function DownloadsPage(): ReactNode {
  const { docId, tables } = useDocumentContext()
  const [tableId = '', setTableId] = useState(tables[0]?.id)
  const [header, setHeader] = useState('label')
  const path = `${docPath(docId)}/download`
  return (
    <div className="pane">
      <p className="note">Your browser shows how far a download is.</p>
      <Section title="One table">
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
                label="First line"
                value={header}
                options={[
                  ['label', 'Labels, for people'],
                  ['colId', 'Column ids, for programs'],
                ]}
                onChange={({ target }) => setHeader(target.value)}
              />
            </div>
            <div className="actions">
              {tableForms.map(([form, name]) => (
                <a
                  key={form}
                  className="button plain"
                  href={toUrl(`${path}/${form}`, { tableId, header })}
                  download
                >
                  {name}
                </a>
              ))}
            </div>
          </>
        )}
      </Section>
      <Section title="The whole document" about="A SQLite file can be imported again.">
        <div className="actions">
          {documentForms.map(([name, query]) => (
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
