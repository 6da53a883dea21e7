import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Section } from '../components/page'
import { Time } from '../components/time'
import { siteName } from '../sites/site-name'
import type { PlacedDocument } from './find-documents'

interface DocumentListProps {
  readonly title: string
  readonly documents: readonly PlacedDocument[]
  /** Shown instead of an empty list. */
  readonly empty: string
}

/** A section with documents of several sites. */
export function DocumentList({ title, documents, empty }: DocumentListProps): ReactNode {
  return (
    <Section title={title}>
      {documents.length === 0 && <p className="note">{empty}</p>}
      <ul className="rows">
        {documents.map((placed) => (
          <PlacedRow key={placed.document.id} {...placed} />
        ))}
      </ul>
    </Section>
  )
}

function PlacedRow({ org, workspace, document }: PlacedDocument): ReactNode {
  const { id, name, isPinned, updatedAt, updatedBy } = document
  return (
    <li>
      <div className="row-main">
        <Link to={`/docs/${id}`}>{name}</Link>
        {isPinned && <span className="badge pinned">pinned</span>}
        <span className="note">
          {siteName(org)} / {workspace.name} · Updated <Time at={updatedAt} />
          {updatedBy !== undefined && ` by ${updatedBy}`}
        </span>
      </div>
    </li>
  )
}
