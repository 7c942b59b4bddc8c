import { fixedEffects } from '../../packages/runtime/src/agents/orders.fixture.js'
import { answer, callTools, type Planner } from '../../packages/runtime/src/agents.js'
import {
  type BoundAgent,
  type RegistrationOptions,
  type RunConfig,
  type RunEvent,
  Runtime,
  renderForModel,
  type ToolCall,
  type ToolOutcome,
  type ToolsetRegistration,
  type Tracer,
} from '../../packages/runtime/src/index.js'
import type { Provider } from './provider.js'
import { Shop } from './shop.js'

// `any` below: only the scene knows the env that its layers need, and supplies it.

/** Calls and settings of a test with the tools of a provider. */
export interface Scene {
  readonly calls: readonly Omit<ToolCall<unknown, any>, 'toolCallId'>[]
  readonly options?: RegistrationOptions
  readonly layers?: (tools: ToolsetRegistration) => ToolsetRegistration<any>
  readonly agent?: (agent: BoundAgent<any>) => BoundAgent<any>
  readonly config?: RunConfig<any>
  readonly env?: unknown
  readonly tracer?: Tracer
}

/** Ways to make the calls of a scene. */
export type Mode = 'execute' | 'sequential' | 'parallel'

export const modes: readonly Mode[] = ['execute', 'sequential', 'parallel']

export interface Played {
  readonly outcomes: readonly ToolOutcome[]
  /** Text for a model, for each outcome. */
  readonly texts: readonly string[]
  /** Events of the calls and the run of the caller. */
  readonly events: readonly RunEvent[]
  readonly shop: Shop
}

export const caller = { sessionId: 's-1', turnId: 't-1', labels: { tenant: 'acme' } } as const

/** Creates an agent with the tools of a provider, and a new shop. */
export function agentOver(
  provider: Provider,
  { options, layers = (tools) => tools, agent = (bound) => bound, tracer }: Omit<Scene, 'calls'> = {},
  planner?: Planner,
): { readonly support: BoundAgent<any>; readonly shop: Shop; readonly events: RunEvent[] } {
  const shop = new Shop()
  const events: RunEvent[] = []
  const runtime = new Runtime({
    effects: fixedEffects(),
    sinks: [(event) => events.push(event)],
    ...(tracer !== undefined && { tracer }),
  })
  const tools = provider.make(runtime, shop, { options, layers })
  const design = { name: 'support', description: 'Answers customers.' }
  return { support: agent(runtime.registerAgent(design, [tools], { planner })), shop, events }
}

/** Makes the calls of a scene. */
export async function play(provider: Provider, scene: Scene, mode: Mode): Promise<Played> {
  const calls = scene.calls.map((call, index) => ({ ...call, toolCallId: `call-${index}` }))
  const planner: Planner = ({ turn }) => {
    if (mode === 'parallel') return turn === 1 ? callTools(...calls) : answer('done')
    const call = calls[turn - 1]
    return call === undefined ? answer('done') : callTools(call)
  }
  const { support, shop, events } = agentOver(provider, scene, planner)
  const options = { ...caller, env: scene.env, ...(scene.config !== undefined && { config: scene.config }) }
  const outcomes: ToolOutcome[] = []
  if (mode === 'execute') for (const call of calls) outcomes.push(await support.execute(call, options))
  else outcomes.push(...(await support.run('?', options)).outcomes)
  return { outcomes, texts: outcomes.map(renderForModel), events, shop }
}
