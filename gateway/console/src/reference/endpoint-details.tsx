import { useState, type ReactNode } from 'react'
import { CopyText } from '../components/copy-text'
import { PlainTable } from '../components/plain-table'
import { describeType, nameOf, type Endpoint, type Parameter, type Schema } from './openapi'

type Schemas = Readonly<Record<string, Schema>>

interface EndpointDetailsProps {
  readonly endpoint: Endpoint
  readonly schemas: Schemas
}

/** An endpoint that expands to its parameters, request body and responses. */
export function EndpointDetails({ endpoint, schemas }: EndpointDetailsProps): ReactNode {
  const { method, path, operation } = endpoint
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="endpoint" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className={`method ${method}`}>{method.toUpperCase()}</span> <code>{path}</code>
        <span className="endpoint-summary">
          {operation.summary}
          {operation.deprecated && ' (deprecated)'}
        </span>
      </summary>
      {/* Rendered on demand, because hundreds of tables would slow down the page. */}
      {isOpen && <EndpointBody endpoint={endpoint} schemas={schemas} />}
    </details>
  )
}

function EndpointBody({ endpoint, schemas }: EndpointDetailsProps): ReactNode {
  const { description, parameters = [], requestBody, responses } = endpoint.operation
  return (
    <div className="endpoint-body">
      {description !== undefined && <p>{description}</p>}
      <CopyText
        label={`request ${endpoint.operation.operationId}`}
        text={toCurl(endpoint)}
        isBlock
      />
      {parameters.length > 0 && <ParameterTable parameters={parameters} />}
      {Object.entries(requestBody?.content ?? {}).map(([mediaType, { schema }]) => (
        <SchemaView
          key={mediaType}
          title={`Request body, ${mediaType}`}
          schema={schema}
          schemas={schemas}
        />
      ))}
      {Object.entries(responses).map(([status, response]) => (
        <div key={status}>
          <h3>
            {status}: {response.description}
          </h3>
          {/* All errors have the same schema. */}
          {Object.entries((Number(status) < 400 && response.content) || {}).map(
            ([mediaType, { schema }]) => (
              <SchemaView key={mediaType} title={mediaType} schema={schema} schemas={schemas} />
            ),
          )}
        </div>
      ))}
    </div>
  )
}

/** Returns a curl command. Parts in braces are placeholders. */
function toCurl({ method, path, operation }: Endpoint): string {
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`
  const isJson = operation.requestBody?.content['application/json'] !== undefined
  const body = isJson ? ` -H "Content-Type: application/json" -d '{…}'` : ''
  return `curl${verb} -H "Authorization: Bearer $KEY"${body} "${window.location.origin}${path}"`
}

function ParameterTable(props: { readonly parameters: readonly Parameter[] }): ReactNode {
  return (
    <PlainTable headers={['Parameter', 'In', 'Type', 'Description']} className="start">
      {props.parameters.map(({ name, in: location, required, description, schema }) => (
        <tr key={`${location} ${name}`}>
          <th scope="row">
            <code>{name}</code>
          </th>
          <td data-label="In">
            {location}
            {required && ', required'}
          </td>
          <td data-label="Type">{describeType(schema)}</td>
          <td data-label="Description">{description ?? schema?.description}</td>
        </tr>
      ))}
    </PlainTable>
  )
}

interface SchemaViewProps {
  readonly title: string
  readonly schema: Schema | undefined
  readonly schemas: Schemas
}

/** Nesting depth of fields shown. Deeper fields show only their type. */
const MAX_DEPTH = 4

function SchemaView({ title, schema, schemas }: SchemaViewProps): ReactNode {
  return (
    <div>
      <p className="note">{title}</p>
      <Fields schema={schema} schemas={schemas} depth={0} />
    </div>
  )
}

interface FieldsProps {
  readonly schema: Schema | undefined
  readonly schemas: Schemas
  readonly depth: number
}

function Fields({ schema, schemas, depth }: FieldsProps): ReactNode {
  const shown = resolve(schema, schemas)
  const properties = Object.entries(shown?.properties ?? {})
  if (properties.length === 0 || depth > MAX_DEPTH)
    return depth === 0 ? <code>{describeType(schema)}</code> : null
  return (
    <ul className="fields">
      {properties.map(([name, field]) => (
        <li key={name}>
          <code>{name}</code>{' '}
          <span className="note">
            {describeType(field)}
            {shown?.required?.includes(name) && ', required'}
            {field.description !== undefined && ` – ${field.description}`}
          </span>
          <Fields schema={field} schemas={schemas} depth={depth + 1} />
        </li>
      ))}
    </ul>
  )
}

/** Resolves references and lists to the schema of the object. */
function resolve(schema: Schema | undefined, schemas: Schemas): Schema | undefined {
  if (schema?.$ref !== undefined) return schemas[nameOf(schema.$ref)]
  if (schema?.items) return resolve(schema.items, schemas)
  return schema
}
