/** The rules of access once more, in the plainest form and from nobody else's code, to compare the service with. */

export type Role = 'members' | 'viewers' | 'editors' | 'owners'
export type Cap = 'viewers' | 'editors' | 'owners' | null

/** Users of the model; the last two stand for the public. */
export const names = ['alice', 'bob', 'carol', 'anon', 'everyone'] as const
export type Name = (typeof names)[number]

/** Two workspaces with two documents each, by the index of their parent; -1 has none. */
export const parents = [-1, 0, 0, 1, 1, 2, 2] as const
export const ORG = 0

export interface Change {
  readonly actor: Name
  readonly target: number
  readonly roles: Readonly<Partial<Record<Name, Role | null>>>
  readonly cap?: Cap
}

const rank = { members: 1, viewers: 2, editors: 3, owners: 4 }
const best = (a: Role | undefined, b: Role | undefined) =>
  (a ? rank[a] : 0) >= (b ? rank[b] : 0) ? a : b

export class AccessModel {
  private readonly given: Map<Name, Role>[] = parents.map(() => new Map([['alice', 'owners']]))
  private readonly caps: Cap[] = parents.map(() => 'owners')

  /** What a user may do, by what was given to them and to everybody. */
  role(name: Name, target: number): Role | undefined {
    const own = best(this.given[target]?.get(name), this.given[target]?.get('everyone'))
    return best(
      own,
      this.inherited(target, (parent) => this.role(name, parent)),
    )
  }

  /** What a user may do by what was given to them alone. */
  ownRole(name: Name, target: number): Role | undefined {
    const own = this.given[target]?.get(name)
    return best(
      own,
      this.inherited(target, (parent) => this.ownRole(name, parent)),
    )
  }

  direct(name: Name, target: number): Role | undefined {
    return this.given[target]?.get(name)
  }

  private inherited(target: number, of: (parent: number) => Role | undefined): Role | undefined {
    const cap = this.caps[target]
    if (target === ORG || !cap) return undefined
    const parent = of(parents[target] ?? -1)
    if (!parent || parent === 'members') return undefined
    return rank[parent] < rank[cap] ? parent : cap
  }

  /** True when something below is shared with the user. */
  isGuest(name: Name, target: number): boolean {
    return this.below(target).some((child) => this.given[child]?.has(name))
  }

  isVisible(name: Name, target: number): boolean {
    return this.role(name, target) !== undefined || this.isGuest(name, target)
  }

  /** Resources that no person owns; there must never be one. */
  ownerless(): number[] {
    const owned = (target: number) => names.some((name) => this.ownRole(name, target) === 'owners')
    return parents.map((_, target) => target).filter((target) => !owned(target))
  }

  private below(target: number): number[] {
    return parents.flatMap((parent, child) =>
      parent === target ? [child, ...this.below(child)] : [],
    )
  }

  /** Makes a change; false when it is refused, and then all is as it was. */
  apply(change: Change): boolean {
    const before = this.given.map((given) => new Map(given))
    const caps = [...this.caps]
    if (this.tryApply(change)) return true
    this.given.splice(0, before.length, ...before)
    this.caps.splice(0, caps.length, ...caps)
    return false
  }

  private tryApply({ actor, target, roles, cap }: Change): boolean {
    const named = Object.entries(roles) as [Name, Role | null][]
    const isOwner = this.role(actor, target) === 'owners'
    const isLeaving =
      named.length === 1 && roles[actor] === null && cap === undefined && actor !== 'anon'
    if (!this.isVisible(actor, target)) return false
    if (isOwner ? actor in roles : !isLeaving) return false
    if (!this.isPermitted(target, named)) return false
    const given = this.given[target] ?? new Map<Name, Role>()
    if (cap !== undefined && cap !== 'owners') given.set(actor, 'owners')
    if (cap !== undefined) this.caps[target] = cap
    for (const [name, role] of named) {
      if (role) given.set(name, role)
      else given.delete(name)
    }
    if (given.has('anon') && given.has('everyone') && (roles.anon ?? roles.everyone)) return false
    if (target !== ORG) return true
    for (const [name, role] of named)
      if (role === null) for (const child of this.below(ORG)) this.given[child]?.delete(name)
    if (isLeaving && !isOwner && this.ownerless().length > 0) return false
    for (const child of this.below(ORG))
      if (this.ownerless().includes(child)) this.given[child]?.set(actor, 'owners')
    return true
  }

  private isPermitted(target: number, named: readonly [Name, Role | null][]): boolean {
    return named.every(([name, role]) => {
      if (role === null) return true
      if (role === 'members' && target !== ORG) return false
      if (name !== 'anon' && name !== 'everyone') return true
      return role !== 'owners' && !(name === 'everyone' && target === ORG)
    })
  }
}
