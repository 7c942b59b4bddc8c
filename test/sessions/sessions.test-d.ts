import type { InNamespaces } from '../../packages/runtime/src/call/bound-toolset.js'
import type {
  BoundAgent,
  BoundToolset,
  HasApproval,
  HasLogger,
  RunConfig,
  ToolCall,
  ToolOutcome,
} from '../../packages/runtime/src/index.js'
import type { Session } from '../../packages/runtime/src/sessions.js'
import { SessionRegistry } from '../../packages/runtime/src/sessions.js'
import type { Acknowledgement } from '../../packages/runtime/src/types/outcome.js'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <Truth extends true>(): Truth | undefined => undefined

interface Order {
  readonly id: string
}
declare const plainAgent: BoundAgent
declare const asking: BoundAgent<HasApproval>
declare const logging: BoundToolset<HasLogger>
declare const env: HasApproval & HasLogger
declare const needsLogger: RunConfig<HasLogger>
declare const plain: ToolCall<Order>
declare const ofSession: ToolCall<Order, 'sessionId' | 'toolCallId'>
declare const ofTenant: ToolCall<Order, 'sessionId' | 'labels.tenant'>
declare const ofTurn: ToolCall<Order, 'turnId'>

const user = { userId: 'u' }

export async function theSessionIsNeverAnOption(): Promise<void> {
  const sessions = new SessionRegistry({ agents: { plainAgent } })
  const session = await sessions.open('s', { ...user, namespaces: ['plainAgent'] })
  const answer = await session.execute(ofSession)
  holds<Equal<typeof answer, ToolOutcome<Order> | Acknowledgement>>()
  if (answer.status === 'completed') holds<Equal<typeof answer.result.data, Order>>()
  void session.execute(plain, { signal: AbortSignal.abort(), deadline: 1, labels: { tenant: 't' } })
  // @ts-expect-error the session sets its own id
  void session.execute(plain, { sessionId: 's' })
  void session.execute({ tool: 'orders_get_order', arguments: '{}' })
}

export async function optionsAreRequiredExactlyWhereNeeded(): Promise<void> {
  const session = await new SessionRegistry({ agents: { plainAgent } }).open('s', {
    ...user,
    namespaces: ['plainAgent'],
  })
  void session.execute(ofTenant, { labels: { tenant: 't' } })
  // @ts-expect-error the tool needs labels.tenant
  void session.execute(ofTenant)
  // @ts-expect-error the tool needs labels.tenant
  void session.execute(ofTenant, { labels: {} })
  void session.execute(ofTurn, { turnId: 't' })
  // @ts-expect-error the tool needs the turn
  void session.execute(ofTurn)
}

export async function theEnvIsThatOfTheNamespaces(): Promise<void> {
  const sessions = new SessionRegistry({ agents: { plainAgent, asking, logging } })

  const one = await sessions.open('s', { ...user, namespaces: ['plainAgent'] })
  void one.execute(plain)

  const two = await sessions.open('s', { ...user, namespaces: ['plainAgent', 'asking.orders'] })
  void two.execute(plain, { env })
  // @ts-expect-error the layers of `asking` need an approval
  void two.execute(plain)
  // @ts-expect-error the layers of `asking` need an approval
  void two.execute(plain, { env: {} })

  const three = await sessions.open('s', { ...user, namespaces: ['asking', 'logging'] })
  void three.execute(plain, { env })
  // @ts-expect-error the layers of `logging` need a logger
  void three.execute(plain, { env: { approval: env.approval } })
  holds<Equal<typeof three, Session<HasApproval & HasLogger>>>()

  const designed: BoundAgent<HasApproval> & InNamespaces<'shop'> = asking
  const inDesign = await new SessionRegistry({ agents: { plainAgent, logging, designed } }).open('s', {
    ...user,
    namespaces: ['shop'],
  })
  holds<Equal<typeof inDesign, Session<HasApproval>>>()

  const restored = await sessions.restore('s', user)
  void restored.execute(plain, { env })
  // @ts-expect-error the namespaces of a restored session are unknown, so the env of all agents is required
  void restored.execute(plain, { env: { approval: env.approval } })
}

export async function aConfigurationNeedsItsEnvToo(): Promise<void> {
  const session = await new SessionRegistry({ agents: { asking } }).open('s', { ...user, namespaces: ['asking'] })
  void session.execute(plain, { env, config: needsLogger })
  // @ts-expect-error the layers of the configuration need a logger
  void session.execute(plain, { env: { approval: env.approval }, config: needsLogger })
}

export function namespacesAreNamesOfAgents(): void {
  const sessions = new SessionRegistry({ agents: { plainAgent, logging } })
  void sessions.open('s', { ...user, namespaces: ['logging', 'plainAgent.orders'] })
  // @ts-expect-error there is no such agent
  void sessions.open('s', { ...user, namespaces: ['plainAgnet'] })
  // @ts-expect-error there is no such agent
  void sessions.open('s', { ...user, namespaces: ['plainAgnet.orders'] })
  // @ts-expect-error a session needs a user
  void sessions.open('s', { namespaces: ['logging'] })
  const designed: BoundAgent<HasApproval> & InNamespaces<'shop' | 'stock.eu'> = asking
  const ofDesigns = new SessionRegistry({ agents: { plainAgent, logging, designed } })
  void ofDesigns.open('s', { ...user, namespaces: ['shop', 'stock.eu', 'default'] })
  // @ts-expect-error there is no such namespace
  void ofDesigns.open('s', { ...user, namespaces: ['shops'] })
  const named: Record<string, BoundAgent> = { plainAgent }
  const read: readonly string[] = ['plainAgent']
  void new SessionRegistry({ agents: named }).open('s', { ...user, namespaces: read })
}

export function aSessionThatNeedsLessServesWhereMoreIsGiven(
  needsNothing: Session,
  needsApproval: Session<HasApproval>,
): void {
  const given: Session<HasApproval> = needsNothing
  // @ts-expect-error the caller would not have to supply the approval
  const taken: Session = needsApproval
  void [given, taken]
}

export async function aRunNeedsTheEnvOfItsAgent(): Promise<void> {
  const sessions = new SessionRegistry({ agents: { plainAgent, asking } })
  const session = await sessions.open('s', { ...user, namespaces: ['plainAgent', 'asking'] })
  void session.run(plainAgent, '?')
  void session.run(asking, '?', { env, labels: { tenant: 't' } })
  // @ts-expect-error the layers of `asking` need an approval
  void session.run(asking, '?')
  // @ts-expect-error the layers of `asking` need an approval
  void session.run(asking, '?', { env: {} })
  // @ts-expect-error the layers of the configuration need a logger
  void session.run(asking, '?', { env: { approval: env.approval }, config: needsLogger })
  // @ts-expect-error the session sets its own id
  void session.run(plainAgent, '?', { sessionId: 's' })
  const run = await session.run(plainAgent, '?')
  if (run.suspension === undefined) return
  void session.resume(plainAgent, run.suspension, { call_1: 'approve' })
  // @ts-expect-error the layers of `asking` need an approval
  void session.resume(asking, run.suspension, {})
}
