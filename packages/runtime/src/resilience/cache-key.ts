import { equalityKey } from '../codec/json/equality-key.js'
import type { ToolCallMeta } from '../contract/meta.js'
import type { AgentToolSpec } from '../contract/spec.js'
import { metaValue } from '../execute/tool/meta-value.js'

/**
 * Who may be given an answer that is kept. `session`: the same session, and where a call has none the same run, with the
 * same agent and labels; a call with neither is not cached. `everyone`: all callers, for answers that do not depend on
 * who asks.
 */
export type CacheAudience = 'session' | 'everyone'

/**
 * The text that two calls of a tool share exactly when one may be given the other's answer: the payload, what fills the
 * server-owned fields, and the audience. `undefined` where no other call may be given it.
 */
export function cacheKey(
  tool: AgentToolSpec,
  payload: unknown,
  meta: ToolCallMeta,
  audience: CacheAudience,
): string | undefined {
  const owned = tool.serverOwned.map(({ from }) => metaValue(meta, from) ?? null)
  if (audience === 'everyone') return JSON.stringify([equalityKey(payload), owned])
  const { sessionId, runId, agent = null, labels } = meta
  if (sessionId === undefined && runId === undefined) return undefined
  const asker = sessionId === undefined ? ['run', runId] : ['session', sessionId]
  return JSON.stringify([equalityKey(payload), owned, asker, agent, equalityKey(labels)])
}
