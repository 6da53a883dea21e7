import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { Section } from '../components/page'
import { ErrorState, Loading } from '../components/states'
import { Time } from '../components/time'
import { endOtherSessions, endSession, sessionsQuery, type UserSession } from './session-queries'

/** The sessions of the user, which can be ended. */
export function SessionsSection(): ReactNode {
  const { data, error, refetch } = useQuery(sessionsQuery)
  const { isBusy, mutateOrToast } = useApiMutation(sessionsQuery.queryKey)
  const hasOthers = data?.some(({ isCurrent }) => !isCurrent) ?? false
  return (
    <Section
      title="Sessions"
      description="Browsers in which you are signed in. End sessions you do not recognize or no longer use."
      actions={
        hasOthers && (
          <Button
            isBusy={isBusy}
            onClick={() => mutateOrToast(endOtherSessions, 'Other sessions ended.')}
          >
            End other sessions
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
            onEnd={() => mutateOrToast(() => endSession(session.id), 'Session ended.')}
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
          Signed in <Time at={createdAt} />
          {!isCurrent && (
            <>
              , last used <Time at={lastUsedAt} />
            </>
          )}
        </span>
      </div>
      {isCurrent ? (
        <span className="badge">This session</span>
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
