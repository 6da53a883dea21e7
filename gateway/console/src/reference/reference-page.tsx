import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { CopyText } from '../components/copy-text'
import { TextField } from '../components/field'
import { Page, Section } from '../components/page'
import { Empty, ErrorState, Loading } from '../components/states'
import { EndpointDetails } from './endpoint-details'
import { listEndpoints, matches, openApiQuery, type OpenApi } from './openapi'

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
  const endpoints = listEndpoints(openApi).filter((endpoint) => matches(endpoint, wanted))
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
        {endpoints.length} {endpoints.length === 1 ? 'call' : 'calls'}
      </p>
      {endpoints.length === 0 && <Empty title="No call has all these words" />}
      {(openApi.tags ?? []).map(({ name, description }) => {
        const own = endpoints.filter(({ operation }) => operation.tags?.includes(name))
        if (own.length === 0) return null
        return (
          <Section key={name} title={name} about={description}>
            {own.map((endpoint) => (
              <EndpointDetails
                key={endpoint.operation.operationId}
                endpoint={endpoint}
                schemas={schemas}
              />
            ))}
          </Section>
        )
      })}
    </>
  )
}
