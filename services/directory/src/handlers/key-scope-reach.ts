import type { KeyScope } from '@sheaf/auth/key-scope'
import { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import type { Org } from '@sheaf/protos/sheaf/directory/v1/orgs'
import type { DocumentSummary, Workspace } from '@sheaf/protos/sheaf/directory/v1/workspaces'
import { isWithin, type Place } from '../access/key-scope'
import type { Context } from '../context'
import { findScopedPlaces, type ScopedPlace } from '../db/key-scope'

/**
 * Restricts responses to a scope: places outside are removed, their ancestors are shown as to a guest, roles
 * are limited.
 */
export class ScopeReach {
  private constructor(
    private readonly scope: KeyScope,
    private readonly places: readonly ScopedPlace[],
  ) {}

  /** Looks up the locations of the places in the scope. */
  static async open(ctx: Context, scope: KeyScope): Promise<ScopeReach> {
    const { workspaces, documents } = scope
    const isFlat = workspaces.length + documents.length === 0
    return new ScopeReach(scope, isFlat ? [] : await findScopedPlaces(ctx.db, scope))
  }

  /** True when the scope includes the place or something inside it. */
  touches({ orgId, workspaceId, docId }: Place): boolean {
    if (isWithin(this.scope, { orgId, workspaceId, docId })) return true
    if (docId !== undefined) return false
    return this.places.some(
      (place) =>
        place.orgId === orgId &&
        (workspaceId === undefined || (place.workspaceId === workspaceId && place.docId !== null)),
    )
  }

  /** Returns an org as the key shows it. */
  org(org: Org): Org {
    return { ...org, access: this.role(org.access, isWithin(this.scope, { orgId: org.id })) }
  }

  /** Returns a workspace, with the documents in the scope, as the key shows it. */
  workspace(workspace: Workspace, orgId: number): Workspace {
    const workspaceId = workspace.id
    return {
      ...workspace,
      access: this.role(workspace.access, isWithin(this.scope, { orgId, workspaceId })),
      docs: workspace.docs
        .filter(({ docId }) => isWithin(this.scope, { orgId, workspaceId, docId }))
        .map((doc) => this.document(doc)),
    }
  }

  /** Returns a document in the scope as the key shows it. */
  document(doc: DocumentSummary): DocumentSummary {
    return { ...doc, access: this.role(doc.access, true) }
  }

  private role(role: Role, isInside: boolean): Role {
    if (!isInside) return Role.GUESTS
    const isMore = role === Role.OWNERS || role === Role.EDITORS
    return this.scope.readOnly && isMore ? Role.VIEWERS : role
  }
}
