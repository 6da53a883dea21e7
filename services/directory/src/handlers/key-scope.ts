import type { ServedService } from '@sheaf/kit/grpc/server'
import { keyScopeError, type KeyScope } from '@sheaf/auth/key-scope'
import type { ServerCall } from '@sheaf/auth/server-call'
import type { HandlerMethod } from '@sheaf/kit/rpc/server-call'
import { isWithin } from '../access/key-scope'
import type { Context } from '../context'
import { ScopeReach } from './key-scope-reach'
import { Finder, scopeRules, type Rule } from './key-scope-rules'
import { requireUser } from './errors'

/**
 * Wraps a service for callers whose API key has a scope: an RPC is denied unless `key-scope-rules.ts` defines
 * how the scope applies to it. Callers without a scope are unaffected, as are RPCs without authentication.
 */
export function guardKeyScope(ctx: Context, service: ServedService): ServedService {
  const { definition, methods, open } = service
  const guarded: Record<string, ServedService['methods'][string]> = {}
  for (const [name, { path }] of Object.entries(definition)) {
    const method = methods[name]
    if (!method) continue
    const rule = scopeRules[path.split('.').at(-1) ?? '']
    const guard: HandlerMethod = (request, served) => {
      // The server of directory authenticates every call with a caller token.
      const call = served as ServerCall
      const run = () => method.call(methods, request, call)
      const { scope } = call.caller
      if (scope === undefined) return run()
      // A key with caps changes nothing but the contents of documents.
      const isConfined = scope.readOnly || scope.caps !== undefined
      if (!rule || (rule.isWrite && isConfined)) throw keyScopeError()
      return applyRule(ctx, rule, { request, scope, userId: requireUser(call), run })
    }
    guarded[name] = open.has(name) ? method : guard
  }
  return { definition, methods: guarded, open }
}

async function applyRule(
  ctx: Context,
  rule: Rule,
  asked: { request: unknown; scope: KeyScope; userId: number; run: () => unknown },
): Promise<unknown> {
  const { request, scope, userId, run } = asked
  const find = new Finder(ctx, userId)
  // Each rule is keyed by its RPC, so the messages have the types that it expects.
  const places = (await rule.about?.(find, request)) ?? []
  const reach = rule.cut && (await ScopeReach.open(ctx, scope))
  for (const place of places)
    if (!(reach?.touches(place) ?? isWithin(scope, place))) throw keyScopeError()
  const answer = await run()
  return reach ? rule.cut?.(reach, answer, places) : answer
}
