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

/** How calls are made: one after the other, several at once, or by a tool that emits updates. */
export type Mode = 'sequential' | 'parallel' | 'streaming'

export const modes: readonly Mode[] = ['sequential', 'parallel', 'streaming']

/** The agent's tool `orders.getOrder`; in the streaming mode it emits two updates before it answers. */
export function toolIn(mode: Mode, execute: () => unknown = () => ({ id: 'A-1', total: 12.5 })): ToolsetRegistration {
  return registrationOf(toolOfMode(mode), async (request) => {
    if (mode === 'streaming') {
      await request.emit(1)
      await request.emit(2)
    }
    return execute()
  })
}

/** The descriptor of the tool in a mode, always the same one. */
export function toolOfMode(mode: Mode): ToolDescriptor<{ readonly orderId: string }, unknown> {
  return mode === 'streaming' ? streaming : plain
}

const plain: ToolDescriptor<{ readonly orderId: string }, unknown> = toolOf('orders.getOrder')
const streaming: ToolDescriptor<{ readonly orderId: string }, unknown> = toolOf('orders.getOrder', {
  spec: { updates: { type: 'integer' } },
})

// `any` below: which env the layers of a scene need is known to the scene alone; it gives the env itself.

/** An agent with layers, and what its calls and runs are made with. */
export interface Scene {
  readonly tools: readonly ToolsetRegistration<any>[]
  readonly agent?: (agent: BoundAgent) => BoundAgent<any>
  /** Adds features and layers to the agent before it is registered. */
  readonly builder?: (builder: AgentBuilder) => AgentBuilder<any>
  readonly config?: RunConfig<any>
  readonly env?: unknown
  /** Default: valid calls of `orders.getOrder`. */
  readonly call?: Omit<ToolCall, 'toolCallId'>
}

/** What became of a scene. */
export interface Played {
  /** Of the calls outside the run, in call order. */
  readonly executed: readonly ToolOutcome[]
  readonly run: AgentRun
  /** All outcomes: of the calls outside the run, then of the run. */
  readonly outcomes: readonly ToolOutcome[]
  /** What `onUpdate` of the calls outside the run was told. */
  readonly updates: readonly JsonText[]
}

const ids: Readonly<Record<Mode, readonly string[]>> = {
  sequential: ['one', 'two', 'three'],
  parallel: ['one', 'two', 'three'],
  streaming: ['one', 'two'],
}

/** Makes the calls of a scene twice: with `execute`, and by a run. Each call must have an outcome both times. */
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
  // A final value ends the run after the step that has it.
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

/** What layers and executors did, for each call apart: calls outside the run first, then those of the run. */
export class Trail {
  readonly #byCall = new Map<string, string[]>()

  /** A layer that notes when a call enters and leaves it. */
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
