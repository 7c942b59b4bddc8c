import { expect } from 'vitest'
import { fixedEffects, registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type AgentBuilder,
  type AgentRun,
  answer,
  base,
  callTools,
  type Planner,
  usePlanner,
} from '../../packages/runtime/src/agents.js'
import {
  type BoundAgent,
  type JsonText,
  type RunConfig,
  Runtime,
  type ToolCall,
  type ToolDescriptor,
  type ToolLayer,
  type ToolOutcome,
  type ToolRequest,
  type ToolsetRegistration,
} from '../../packages/runtime/src/index.js'

/** Ways to make calls: one after the other, in parallel, or with a tool that sends updates. */
export type Mode = 'sequential' | 'parallel' | 'streaming'

export const modes: readonly Mode[] = ['sequential', 'parallel', 'streaming']

/** Returns the tool `orders.getOrder` of the agent. In streaming mode, the tool sends two updates before its result. */
export function toolIn(mode: Mode, execute: () => unknown = () => ({ id: 'A-1', total: 12.5 })): ToolsetRegistration {
  return registrationOf(toolOfMode(mode), async (request) => {
    if (mode === 'streaming') {
      await request.emit(1)
      await request.emit(2)
    }
    return execute()
  })
}

/** Returns the descriptor of the tool in a mode, always the same object. */
export function toolOfMode(mode: Mode): ToolDescriptor<{ readonly orderId: string }, unknown> {
  return mode === 'streaming' ? streaming : plain
}

const plain: ToolDescriptor<{ readonly orderId: string }, unknown> = toolOf('orders.getOrder')
const streaming: ToolDescriptor<{ readonly orderId: string }, unknown> = toolOf('orders.getOrder', {
  spec: { updates: { type: 'integer' } },
})

// `any` below: only the scene knows the env that its layers need, and supplies it.

/** An agent with layers, and the options of its calls and runs. */
export interface Scene {
  readonly tools: readonly ToolsetRegistration<any>[]
  readonly agent?: (agent: BoundAgent) => BoundAgent<any>
  /** Adds features and layers to the builder of the agent. */
  readonly builder?: (builder: AgentBuilder) => AgentBuilder<any>
  readonly config?: RunConfig<any>
  readonly env?: unknown
  /** Default: valid calls of `orders.getOrder`. */
  readonly call?: Omit<ToolCall, 'toolCallId'>
}

/** Results of a scene. */
export interface Played {
  /** Outcomes of the calls outside the run, in call order. */
  readonly executed: readonly ToolOutcome[]
  readonly run: AgentRun
  /** All outcomes: first of the calls outside the run, then of the run. */
  readonly outcomes: readonly ToolOutcome[]
  /** Updates that `onUpdate` received for the calls outside the run. */
  readonly updates: readonly JsonText[]
}

const ids: Readonly<Record<Mode, readonly string[]>> = {
  sequential: ['one', 'two', 'three'],
  parallel: ['one', 'two', 'three'],
  streaming: ['one', 'two'],
}

/** Makes the calls of a scene twice: with `execute`, and in a run. Each call must have an outcome both times. */
export async function play(mode: Mode, scene: Scene): Promise<Played> {
  const call = scene.call ?? { tool: 'orders.getOrder', arguments: '{"orderId":"A"}' }
  const calls = ids[mode].map((id) => ({ ...call, toolCallId: id }))
  const steps = mode === 'sequential' ? calls.map((each) => [each]) : [calls]
  const planned = base().with(usePlanner(plannerOf(steps)))
  const bare = new Runtime({ effects: fixedEffects() }).registerAgent(
    { name: 'support', description: 'Answers customers.' },
    scene.tools,
    { agent: (scene.builder?.(planned) ?? planned).build() },
  )
  const agent: BoundAgent<any> = scene.agent?.(bare) ?? bare
  const options = { env: scene.env, config: scene.config }
  const updates: JsonText[] = []
  const execute = (each: ToolCall): Promise<ToolOutcome> =>
    agent.execute(each, { ...options, onUpdate: (update) => updates.push(update) })
  const executed: ToolOutcome[] = []
  if (mode === 'parallel') executed.push(...(await Promise.all(calls.map(execute))))
  else for (const each of calls) executed.push(await execute(each))
  const run = await agent.run('?', options)
  expect(executed.map(idOf)).toEqual(ids[mode])
  // A final value ends the run after its step.
  const requested = run.stop.reason === 'final' ? steps.slice(0, run.usage.turns) : steps
  expect(run.outcomes.map(idOf)).toEqual(requested.flat().map(({ toolCallId }) => toolCallId))
  return { executed, run, outcomes: [...executed, ...run.outcomes], updates }
}

const idOf = ({ call }: ToolOutcome): string => call.toolCallId

function plannerOf(steps: readonly (readonly ToolCall[])[]): Planner {
  return ({ turn }) => {
    const calls = steps[turn - 1]
    return calls === undefined ? answer('done') : callTools(...calls)
  }
}

/** Records the actions of layers and executors per call: first of calls outside the run, then of the run. */
export class Trail {
  readonly #byCall = new Map<string, string[]>()

  /** Returns a layer that records when a call enters and leaves it. */
  layer(name: string): ToolLayer {
    return (next) => async (request) => {
      this.note(request, `${name}-enter`)
      const outcome = await next(request)
      this.note(request, `${name}-exit`)
      return outcome
    }
  }

  note({ meta }: Pick<ToolRequest, 'meta'>, what: string): void {
    const key = `${meta.runId ?? 'no run'} ${meta.toolCallId}`
    this.#byCall.set(key, [...(this.#byCall.get(key) ?? []), what])
  }

  get byCall(): readonly (readonly string[])[] {
    return [...this.#byCall.values()]
  }
}
