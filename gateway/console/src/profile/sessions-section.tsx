import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { Section } from '../components/page'
import { ErrorState, Loading } from '../components/states'
import { Time } from '../components/time'
import { endOtherSessions, endSession, sessionsQuery, type UserSession } from './session-queries'

/** Where the user is signed in, and ending that. */
export function SessionsSection(): ReactNode {
  const { data, error, refetch } = useQuery(sessionsQuery)
  const { isBusy, mutateOrToast } = useApiMutation(sessionsQuery.queryKey)
  const hasOthers = data?.some(({ isCurrent }) => !isCurrent) ?? false
  return (
    <Section
      title="Sessions"
      about="Where you are signed in. End what you do not know, or do not use any more."
      actions={
        hasOthers && (
          <Button
            isBusy={isBusy}
            onClick={() => mutateOrToast(endOtherSessions, 'All other sessions have ended.')}
          >
            End all others
          </Button>
        )
      }
    >
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading what="your sessions" />}
      <ul className="rows">
        {data?.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            isBusy={isBusy}
            onEnd={() => mutateOrToast(() => endSession(session.id), 'The session has ended.')}
          />
        ))}
      </ul>
    </Section>
  )
}

interface SessionRowProps {
  readonly session: UserSession
  readonly isBusy: boolean
  readonly onEnd: () => void
}

function SessionRow({ session, isBusy, onEnd }: SessionRowProps): ReactNode {
  const { isCurrent, createdAt, lastUsedAt } = session
  const name = nameOf(session)
  return (
    <li>
      <div className="row-main">
        <span>{name}</span>
        <span className="note">
          since <Time at={createdAt} />
          {!isCurrent && (
            <>
              , last used <Time at={lastUsedAt} />
            </>
          )}
        </span>
      </div>
      {isCurrent ? (
        <span className="badge">this one</span>
      ) : (
        <Button aria-label={`End the session of ${name}`} isBusy={isBusy} onClick={onEnd}>
          End
        </Button>
      )}
    </li>
  )
}

function nameOf({ browser, system }: UserSession): string {
  if (browser === null) return system ?? 'Unknown browser'
  return system === null ? browser : `${browser} on ${system}`
}
