import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { CopyText } from '../components/copy-text'
import { TextField } from '../components/field'
import { Page, Section } from '../components/page'
import { Empty, ErrorState, Loading } from '../components/states'
import { EndpointDetails } from './endpoint-details'
import { listEndpoints, matches, openApiQuery, type OpenApi } from './openapi'

/** The API reference: all endpoints, searchable. */
export function ReferencePage(): ReactNode {
  const { data, error, refetch } = useQuery(openApiQuery)
  const { origin } = window.location
  return (
    <Page
      title="API"
      actions={
        <>
          <a className="button plain" href="/api/docs-ui">
            View as one page
          </a>
          <a className="button plain" href="/api/openapi.json" download="sheaf-openapi.json">
            OpenAPI document
          </a>
        </>
      }
    >
      <Section
        title="Getting started"
        description={
          <>
            <Link to="/profile">Create an API key</Link>, set <code>KEY</code> to it, and list your
            sites. The API tab of a document has more examples.
          </>
        }
      >
        <CopyText
          label="first request"
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
  const deferredSearch = useDeferredValue(search.trim())
  const endpoints = listEndpoints(openApi).filter((endpoint) => matches(endpoint, deferredSearch))
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
        {endpoints.length} {endpoints.length === 1 ? 'endpoint' : 'endpoints'}
      </p>
      {endpoints.length === 0 && <Empty title="No matching endpoints" />}
      {(openApi.tags ?? []).map(({ name, description }) => {
        const own = endpoints.filter(({ operation }) => operation.tags?.includes(name))
        if (own.length === 0) return null
        return (
          <Section key={name} title={name} description={description}>
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
