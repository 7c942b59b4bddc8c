import { payloadCodec } from '../codec/payload-codec.js'
import { resultCodec } from '../codec/result-codec.js'
import type { Codec } from '../contract/codec.js'
import type { ToolDescriptor } from '../contract/descriptor.js'
import type { ToolExecutor } from '../contract/executor.js'
import type { ToolsetRegistration } from '../contract/registration.js'
import type { ToolSpec } from '../contract/spec.js'
import { newToolCall } from '../execute/call/new-tool-call.js'
import { layeredRegistration } from '../layer/registration.js'
import type { Tool } from './tool.js'

/**
 * Hand-written tools as a toolset that can be registered, under ids such as `local.weather`; models call them by their
 * own names.
 *
 * @throws {TypeError} when two tools have the same name.
 *
 * @example
 * runtime.registerAgent({ name: 'helper', description: '…' }, [toolset('local', weather, search)], { planner })
 */
export function toolset<Env>(name: string, ...tools: readonly Tool<Env>[]): ToolsetRegistration<Env> {
  const byName = new Map(tools.map((each) => [each.name, each]))
  if (byName.size < tools.length) {
    const twice = tools.find((each) => byName.get(each.name) !== each)
    throw new TypeError(`toolset '${name}': two tools are called '${twice?.name}'`)
  }
  const use = {
    toolset: {
      name,
      namespace: 'default',
      description: `Hand-written tools: ${tools.map((each) => each.name).join(', ')}.`,
      tools: tools.map((each) => descriptorOf(name, each)),
    },
    provider: 'function',
    wireNames: Object.fromEntries(tools.map((each) => [each.name, each.name])),
  } as const
  return layeredRegistration({ use, executor: executorOf(byName) }, (toolName, service) => {
    const own = byName.get(toolName)
    return own === undefined ? service : own.wrap(service)
  })
}

function executorOf(tools: ReadonlyMap<string, Tool<any>>): ToolExecutor {
  // `any`: what the layers of a tool need is nothing to its executor.
  return {
    async execute({ tool, meta, payload, emit }) {
      const own = tools.get(tool.name)
      if (own === undefined) throw new Error(`there is no hand-written tool '${tool.name}'`)
      return (await own.definition.run(await payload(), { meta, emit })) ?? null
    },
  }
}

function descriptorOf(toolset: string, { name, definition }: Tool<any>): ToolDescriptor {
  const { description, parameters, updates, annotations = {} } = definition
  const payload: Codec<never, unknown> = payloadCodec({ schema: {}, unknown: 'keep' })
  const result: Codec<any, unknown> = resultCodec({ schema: {}, unknown: 'keep' })
  const spec: ToolSpec = {
    id: `${toolset}.${name}`,
    toolset,
    name,
    namespace: 'default',
    wireName: name,
    title: name,
    description,
    tags: [],
    arguments: parameters,
    result: {},
    ...(updates !== undefined && { updates }),
    examples: [],
    serverOwned: [],
    annotations,
    // Nothing is generated from it: there is no contract that could drift.
    hash: '',
  }
  return { spec, payload, result, call: (args, options) => newToolCall(spec, payload, args, options) }
}
