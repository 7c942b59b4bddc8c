import { ToolFailure } from '../call/tool-failure.js'
import type { StandardCheck } from '../types/json.js'
import type { ToolCall } from '../types/tool.js'
import type { BoundAgent } from './bound-agent.js'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <Truth extends true>(): Truth | undefined => undefined

interface Order {
  readonly id: string
}
declare const agent: BoundAgent
declare const plain: ToolCall<Order>
declare const session: ToolCall<Order, 'sessionId'>
declare const several: ToolCall<Order, 'sessionId' | 'runId' | 'labels.tenant' | 'labels.region'>
declare const traced: ToolCall<Order, 'toolCallId'>
declare const parented: ToolCall<Order, 'parentToolCallId' | 'turnId'>
declare const check: StandardCheck
void check

export async function typedResults(): Promise<void> {
  const outcome = await agent.execute(plain)
  if (outcome.status === 'completed') holds<Equal<typeof outcome.result.data, Order>>()
  if (outcome.status === 'failed' && outcome.hint.reason === 'rate_limited')
    holds<Equal<typeof outcome.hint.action, 'wait'>>()
  const withOptions = await agent.execute(session, { sessionId: 's' })
  if (withOptions.status === 'completed') holds<Equal<typeof withOptions.result.data, Order>>()
}

export function optionsAreRequiredExactlyWhereNeeded(): void {
  void agent.execute(plain)
  void agent.execute(plain, { sessionId: 's', signal: AbortSignal.abort(), deadline: 1 })
  void agent.execute(traced)
  void agent.execute({ tool: 'orders_get_order', arguments: '{}' })

  // @ts-expect-error the tool needs the session
  void agent.execute(session)
  // @ts-expect-error the tool needs the session
  void agent.execute(session, {})
  // @ts-expect-error the tool needs the session
  void agent.execute(session, { runId: 'r' })
  // @ts-expect-error a session that may be absent is none
  void agent.execute(session, { sessionId: undefined })
  void agent.execute(session, { sessionId: 's' })

  void agent.execute(several, { sessionId: 's', runId: 'r', labels: { tenant: 't', region: 'eu', more: 'x' } })
  // @ts-expect-error the tool needs labels.region too
  void agent.execute(several, { sessionId: 's', runId: 'r', labels: { tenant: 't' } })
  // @ts-expect-error the tool needs the labels
  void agent.execute(several, { sessionId: 's', runId: 'r' })

  void agent.execute(parented, { parentToolCallId: 'p', turnId: 't' })
  // @ts-expect-error the tool needs the parent
  void agent.execute(parented, { turnId: 't' })
  // @ts-expect-error there is no such option
  void agent.execute(plain, { session: 's' })
}

interface Stock {
  readonly inStock: number
}
declare const stock: ToolCall<Stock, never>
declare const sessionStock: ToolCall<Stock, 'runId'>
declare const condition: boolean

export async function callsOfSeveralToolsMayBeMixed(): Promise<void> {
  for (const call of [session, stock]) {
    const outcome = await agent.execute(call, { sessionId: 's' })
    if (outcome.status === 'completed') holds<Equal<typeof outcome.result.data, Order | Stock>>()
    // @ts-expect-error one of them needs the session
    void agent.execute(call)
  }
  const either = await agent.execute(condition ? plain : stock)
  if (either.status === 'completed') holds<Equal<typeof either.result.data, Order | Stock>>()
  const needy = condition ? session : sessionStock
  void agent.execute(needy, { sessionId: 's', runId: 'r' })
  // @ts-expect-error the other one needs the run
  void agent.execute(needy, { sessionId: 's' })
  const all = await Promise.all(
    [session, sessionStock].map((call) => agent.execute(call, { sessionId: 's', runId: 'r' })),
  )
  for (const one of all) if (one.status === 'completed') holds<Equal<typeof one.result.data, Order | Stock>>()
}

export async function callsOfAnyResultKeepTheirType<Result>(call: ToolCall<Result>): Promise<Result | undefined> {
  const outcome = await agent.execute(call)
  return outcome.status === 'completed' ? outcome.result.data : undefined
}

export async function callsOfAModelAreOfUnknownResult(): Promise<void> {
  const outcome = await agent.execute({ tool: 'orders_get_order', arguments: '{}' })
  if (outcome.status === 'completed') holds<Equal<typeof outcome.result.data, unknown>>()
  const sent: { tool: string; arguments: string } = JSON.parse('{}')
  const other = await agent.execute(sent, { sessionId: 's' })
  if (other.status === 'completed') holds<Equal<typeof other.result.data, unknown>>()
}

export function failuresTakeTheFactsOfTheirReason(): void {
  new ToolFailure('x')
  new ToolFailure('x', { action: 'correct_call', example: { a: 1 } })
  new ToolFailure('x', { reason: 'unavailable', action: 'wait', retryAfterMs: 1 })
  // @ts-expect-error a domain rejection does not ask to wait
  new ToolFailure('x', { action: 'wait' })
  // @ts-expect-error a rate limit is waited for
  new ToolFailure('x', { reason: 'rate_limited', action: 'replan' })
  // @ts-expect-error what is denied has no time to wait for
  new ToolFailure('x', { reason: 'denied', retryAfterMs: 1 })
}
