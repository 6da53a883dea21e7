import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { CopyText } from '../components/copy-text'
import { TextField } from '../components/field'
import { Page, Section } from '../components/page'
import { Empty, ErrorState, Loading } from '../components/states'
import { EntryDetails } from './endpoint-details'
import { listEntries, matches, openApiQuery, type OpenApi } from './openapi'

/** How programs use Sheaf: every call, to be searched and read. */
export function ReferencePage(): ReactNode {
  const { data, error, refetch } = useQuery(openApiQuery)
  const { origin } = window.location
  return (
    <Page
      title="API"
      actions={
        <>
          <a className="button plain" href="/api/docs-ui">
            As one page
          </a>
          <a className="button plain" href="/api/openapi.json" download="sheaf-openapi.json">
            OpenAPI document
          </a>
        </>
      }
    >
      <Section
        title="To begin with"
        about={
          <>
            <Link to="/profile">Make a key</Link>, put it into <code>KEY</code>, and ask which sites
            you have. Each document has a tab with calls of its own.
          </>
        }
      >
        <CopyText
          label="first call"
          text={`curl -H "Authorization: Bearer $KEY" ${origin}/api/orgs`}
          isBlock
        />
      </Section>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading what="the reference" />}
      {data && <Reference openApi={data} />}
    </Page>
  )
}

function Reference({ openApi }: { readonly openApi: OpenApi }): ReactNode {
  const [search, setSearch] = useState('')
  const wanted = useDeferredValue(search.trim())
  const entries = listEntries(openApi).filter((entry) => matches(entry, wanted))
  const schemas = openApi.components?.schemas ?? {}
  return (
    <>
      <TextField
        type="search"
        label="Search"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      <p className="note" role="status">
        {entries.length} {entries.length === 1 ? 'call' : 'calls'}
      </p>
      {entries.length === 0 && <Empty title="No call has all these words" />}
      {(openApi.tags ?? []).map(({ name, description }) => {
        const own = entries.filter(({ operation }) => operation.tags?.includes(name))
        if (own.length === 0) return null
        return (
          <Section key={name} title={name} about={description}>
            {own.map((entry) => (
              <EntryDetails key={entry.operation.operationId} entry={entry} schemas={schemas} />
            ))}
          </Section>
        )
      })}
    </>
  )
}
