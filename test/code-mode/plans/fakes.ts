import { type BoundAgent, type ExecutorRequest, Runtime, type ToolSpec, toolsetRegistration } from '@toolgen/runtime'
import { newToolCall, payloadCodec, resultCodec, toolSpec } from '@toolgen/runtime/codegen/v1'
import { resultOf } from './samples.js'

type Schema = ToolSpec['arguments']

/** A call that reached a fake. */
export interface FakeCall {
  readonly tool: string
  readonly args: unknown
}

/** Fake tools for tests of programs and plans. */
export interface Fakes {
  readonly tools: BoundAgent
  /** The calls that ran, in their order. */
  readonly calls: FakeCall[]
}

/** Parts of a tool that a fake needs. */
export interface FakeSpec {
  readonly toolset: string
  readonly name: string
  readonly description: string
  readonly arguments: Schema
  readonly result: Schema
}

/**
 * Registers tools that validate their arguments and return a value of their result schema. The value depends only on the tool and the arguments, so
 * that a test notices a value in the wrong place.
 */
export function fakeTools(specs: readonly FakeSpec[]): Fakes {
  const calls: FakeCall[] = []
  const tools = specs.map((each) => {
    const payload = payloadCodec<never, unknown>({ schema: each.arguments })
    const result = resultCodec<unknown, unknown>({ schema: each.result })
    const parts = {
      id: `${each.toolset}.${each.name}` as const,
      toolset: each.toolset,
      name: each.name,
      toolName: `${each.toolset}_${each.name}`.replaceAll(/[^\w-]/g, '_'),
      title: each.name,
      description: each.description,
      examples: [],
      hash: '',
    }
    const spec = toolSpec(parts, payload, result)
    return { spec, payload, result, call: (args: never) => newToolCall(spec, payload, args) }
  })
  const results = new Map(specs.map(({ toolset, name, result }) => [`${toolset}.${name}`, result]))
  const executor = {
    async execute({ tool, payload }: ExecutorRequest) {
      const args = await payload()
      calls.push({ tool: tool.id, args })
      return resultOf(tool.id, results.get(tool.id) ?? {}, args)
    },
  }
  const registrations = [...new Set(specs.map(({ toolset }) => toolset))].map((name) => {
    const ofToolset = tools.filter(({ spec }) => spec.toolset === name)
    const toolset = { name, namespace: 'default', description: 'Fakes.', tools: ofToolset }
    return toolsetRegistration({ toolset, provider: 'function' }, executor)
  })
  return { tools: new Runtime().registerAgent({ name: 'fakes', description: 'Fakes.' }, registrations), calls }
}
