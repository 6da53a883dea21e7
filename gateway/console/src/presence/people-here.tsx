import type { PresencePlace } from '@sheaf/client'
import { useCallback, useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { Popover } from '../components/overlays/popover'
import { rowUrl, tableUrl } from '../document-context/document-context'
import { initialsOf, type Person } from './people'
import { usePeople } from './presence-provider'

/** Initials that are drawn; on narrow screens only the first ones. */
const MAX_SHOWN = 3

/** The other people who have the document open: their initials, and a list that leads to where they are. Nothing without others. */
export function PeopleHere({ docId }: { readonly docId: string }): ReactNode {
  const people = usePeople()
  const [isOpen, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  if (people.length === 0) return null
  return (
    <div className="people-here">
      <Popover
        label="Also here"
        button={<Faces people={people} />}
        isOpen={isOpen}
        onOpen={() => setOpen(true)}
        onClose={close}
      >
        <h2>Also here</h2>
        <ul>
          {people.map((person) => (
            <li key={person.userId}>
              <Face person={person} />
              <div>
                <span className="person-name">{person.name}</span>
                {person.places.map((place, index) => (
                  // Pages have no other identity here.
                  <PlaceLink key={index} docId={docId} place={place} onFollow={close} />
                ))}
              </div>
            </li>
          ))}
        </ul>
      </Popover>
    </div>
  )
}

function Faces({ people }: { readonly people: readonly Person[] }): ReactNode {
  const shown = people.slice(0, MAX_SHOWN)
  const names = people.map(({ name }) => name)
  return (
    <>
      <span className="visually-hidden">Also here: {new Intl.ListFormat().format(names)}</span>
      <span className="faces" aria-hidden="true" title={names.join('\n')}>
        {shown.map((person) => (
          <Face key={person.userId} person={person} />
        ))}
        {people.length > MAX_SHOWN && (
          <span className="more-faces narrow-hidden">+{people.length - MAX_SHOWN}</span>
        )}
        {people.length > 1 && <span className="more-faces narrow-only">+{people.length - 1}</span>}
      </span>
    </>
  )
}

function Face({ person: { name, hue } }: { readonly person: Person }): ReactNode {
  return (
    <span className={`face hue-${hue}`} aria-hidden="true">
      {initialsOf(name)}
    </span>
  )
}

interface PlaceLinkProps {
  readonly docId: string
  readonly place: PresencePlace
  readonly onFollow: () => void
}

/** Where somebody is, with a link to it; nothing for pages without a table. */
function PlaceLink({ docId, place, onFollow }: PlaceLinkProps): ReactNode {
  const { tableId, rowId, colId } = place
  if (tableId === undefined) return null
  const url = rowId === undefined ? tableUrl(docId, tableId) : rowUrl(docId, tableId, rowId)
  const words = [tableId, rowId !== undefined && `row id ${rowId}`, colId]
  return (
    <Link className="person-place" to={url} onClick={onFollow}>
      {words.filter((word) => word !== false && word !== undefined).join(' · ')}
    </Link>
  )
}
