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

type Named = [Name, Role | null]
const entries = (roles: Change['roles']) => Object.entries(roles) as Named[]

const rank = { members: 1, viewers: 2, editors: 3, owners: 4 }
const best = (a: Role | undefined, b: Role | undefined) =>
  (a ? rank[a] : 0) >= (b ? rank[b] : 0) ? a : b

export class AccessModel {
  private readonly given: Map<Name, Role>[] = parents.map(() => new Map([['alice', 'owners']]))
  private readonly caps: Cap[] = parents.map(() => 'owners')

  /** What a user may do, by what was given to them and to everybody. */
  role(name: Name, target: number, others: 'everyone' | 'anon' = 'everyone'): Role | undefined {
    const own = best(this.given[target]?.get(name), this.given[target]?.get(others))
    return best(
      own,
      this.inherited(target, (parent) => this.role(name, parent, others)),
    )
  }

  /** The role that lists something for a user, by what was given to them and to the anonymous user. */
  listedRole(name: Name, target: number): Role | undefined {
    return this.role(name, target, 'anon')
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

  /** The documents that a change here can concern. */
  documentsOf(target: number): number[] {
    return [target, ...this.below(target)].filter((child) => this.below(child).length === 0)
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

  private tryApply(change: Change): boolean {
    const { actor, target, roles } = change
    const isLeaving = this.role(actor, target) !== 'owners'
    if (!this.mayAsk(change, isLeaving) || !this.isPermitted(target, entries(roles))) return false
    this.put(change)
    const given = this.given[target]
    if ((roles.anon ?? roles.everyone) && given?.has('anon') && given.has('everyone')) return false
    return target !== ORG || this.takeOutOfOrg(change, isLeaving)
  }

  private takeOutOfOrg({ actor, roles }: Change, isLeaving: boolean): boolean {
    this.takeOut(entries(roles).filter(([, role]) => role === null))
    if (isLeaving) return this.ownerless().length === 0
    for (const child of this.below(ORG))
      if (this.ownerless().includes(child)) this.given[child]?.set(actor, 'owners')
    return true
  }

  /** Owners may ask for all but what is about themselves; others only to be taken out themselves. */
  private mayAsk({ actor, target, roles, cap }: Change, isLeaving: boolean): boolean {
    if (!this.isVisible(actor, target)) return false
    if (!isLeaving) return !(actor in roles)
    const isSelfOnly = entries(roles).length === 1 && roles[actor] === null
    return isSelfOnly && cap === undefined && actor !== 'anon'
  }

  private put({ actor, target, roles, cap }: Change): void {
    if (cap !== undefined && cap !== 'owners') this.given[target]?.set(actor, 'owners')
    if (cap !== undefined) this.caps[target] = cap
    for (const [name, role] of entries(roles)) {
      if (role) this.given[target]?.set(name, role)
      else this.given[target]?.delete(name)
    }
  }

  private takeOut(named: readonly Named[]): void {
    for (const [name] of named) for (const child of this.below(ORG)) this.given[child]?.delete(name)
  }

  private isPermitted(target: number, named: readonly Named[]): boolean {
    return named.every(([name, role]) => {
      if (role === null) return true
      if (role === 'members' && target !== ORG) return false
      if (name !== 'anon' && name !== 'everyone') return true
      return role !== 'owners' && !(name === 'everyone' && target === ORG)
    })
  }
}
