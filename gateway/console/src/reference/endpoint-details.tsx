import { useState, type ReactNode } from 'react'
import { CopyText } from '../components/copy-text'
import { PlainTable } from '../components/plain-table'
import { describeType, nameOf, type Endpoint, type Parameter, type Schema } from './openapi'

type Schemas = Readonly<Record<string, Schema>>

interface EndpointDetailsProps {
  readonly endpoint: Endpoint
  readonly schemas: Schemas
}

/** A call, which unfolds into what it takes and answers. */
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
      {/* Hundreds of tables that nobody looks at would make the page slow. */}
      {isOpen && <EndpointBody endpoint={endpoint} schemas={schemas} />}
    </details>
  )
}

function EndpointBody({ endpoint, schemas }: EndpointDetailsProps): ReactNode {
  const { description, parameters = [], requestBody, responses } = endpoint.operation
  return (
    <div className="endpoint-body">
      {description !== undefined && <p>{description}</p>}
      <CopyText label={`call ${endpoint.operation.operationId}`} text={toCurl(endpoint)} isBlock />
      {parameters.length > 0 && <ParameterTable parameters={parameters} />}
      {Object.entries(requestBody?.content ?? {}).map(([mediaType, { schema }]) => (
        <Shape key={mediaType} title={`Body, ${mediaType}`} schema={schema} schemas={schemas} />
      ))}
      {Object.entries(responses).map(([status, response]) => (
        <div key={status}>
          <h3>
            {status}: {response.description}
          </h3>
          {/* All errors have the same form. */}
          {Object.entries((Number(status) < 400 && response.content) || {}).map(
            ([mediaType, { schema }]) => (
              <Shape key={mediaType} title={mediaType} schema={schema} schemas={schemas} />
            ),
          )}
        </div>
      ))}
    </div>
  )
}

/** The call as a line for a shell; what stands in braces is for the reader to fill in. */
function toCurl({ method, path, operation }: Endpoint): string {
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`
  const isJson = operation.requestBody?.content['application/json'] !== undefined
  const body = isJson ? ` -H "Content-Type: application/json" -d '{…}'` : ''
  return `curl${verb} -H "Authorization: Bearer $KEY"${body} "${window.location.origin}${path}"`
}

function ParameterTable(props: { readonly parameters: readonly Parameter[] }): ReactNode {
  return (
    <PlainTable heads={['Parameter', 'In', 'Type', 'Meaning']} className="start">
      {props.parameters.map(({ name, in: place, required, description, schema }) => (
        <tr key={`${place} ${name}`}>
          <th scope="row">
            <code>{name}</code>
          </th>
          <td data-label="In">
            {place}
            {required && ', required'}
          </td>
          <td data-label="Type">{describeType(schema)}</td>
          <td data-label="Meaning">{description ?? schema?.description}</td>
        </tr>
      ))}
    </PlainTable>
  )
}

interface ShapeProps {
  readonly title: string
  readonly schema: Schema | undefined
  readonly schemas: Schemas
}

/** How deep a shape is shown; what lies deeper is named by its type. */
const MAX_DEPTH = 4

function Shape({ title, schema, schemas }: ShapeProps): ReactNode {
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

/** The object that a schema describes, itself or each item of its list. */
function resolve(schema: Schema | undefined, schemas: Schemas): Schema | undefined {
  if (schema?.$ref !== undefined) return schemas[nameOf(schema.$ref)]
  if (schema?.items) return resolve(schema.items, schemas)
  return schema
}
