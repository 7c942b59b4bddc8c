import { payloadCodec } from '../codec/payload-codec.js'
import type { Codec } from '../contract/codec.js'
import type { ToolDescriptor } from '../contract/descriptor.js'
import type { ToolExecutor } from '../contract/executor.js'
import type { ToolsetRegistration } from '../contract/registration.js'
import type { ToolSpec } from '../contract/spec.js'
import { newToolCall } from '../execute/call/new-tool-call.js'
import { layeredRegistration } from '../layer/registration.js'
import { anyResultCodec } from './any-result-codec.js'
import type { Tool } from './tool.js'

/** What the layers of several tools need together. */
type EnvOfTools<Tools extends readonly Tool<never>[]> = Tools extends readonly []
  ? unknown
  : [Tools[number]] extends [Tool<infer Env>]
    ? Env
    : never

/**
 * Hand-written tools as a toolset that can be registered, under ids such as `local.weather`; models call them by their
 * own names.
 *
 * @throws {TypeError} when two tools have the same name.
 *
 * @example
 * runtime.registerAgent({ name: 'helper', description: '…' }, [toolset('local', weather, search)], { planner })
 */
export function toolset<const Tools extends readonly Tool<never>[]>(
  name: string,
  ...tools: Tools
): ToolsetRegistration<EnvOfTools<Tools>> {
  const byName = new Map(tools.map((each) => [each.name, each]))
  const names = tools.map((each) => each.name)
  const twice = names.find((each, index) => names.indexOf(each) < index)
  if (twice !== undefined) throw new TypeError(`toolset '${name}': two tools are called '${twice}'`)
  const use = {
    toolset: {
      name,
      namespace: 'default',
      description: `Hand-written tools: ${names.join(', ')}.`,
      tools: tools.map((each) => descriptorOf(name, each)),
    },
    provider: 'function',
    wireNames: Object.fromEntries(names.map((each) => [each, each])),
  } as const
  return layeredRegistration({ use, executor: executorOf(byName) }, (toolName, service) => {
    const own = byName.get(toolName)
    return own === undefined ? service : own.wrap(service)
  })
}

function executorOf(tools: ReadonlyMap<string, Tool<never>>): ToolExecutor {
  return {
    async execute({ tool, meta, payload, emit }) {
      const own = tools.get(tool.name)
      if (own === undefined) throw new Error(`there is no hand-written tool '${tool.name}'`)
      return own.definition.run(await payload(), { meta, emit })
    },
  }
}

function descriptorOf(toolset: string, { name, definition }: Tool<never>): ToolDescriptor {
  const { title = name, description, parameters, updates, annotations = {}, callHint, resultHint } = definition
  const payload: Codec<never, unknown> = payloadCodec({ schema: {}, unknown: 'keep' })
  const result = anyResultCodec()
  const spec: ToolSpec = {
    id: `${toolset}.${name}`,
    toolset,
    name,
    namespace: 'default',
    wireName: name,
    title,
    description,
    tags: [],
    arguments: parameters,
    result: {},
    ...(updates !== undefined && { updates }),
    ...(callHint !== undefined && { callHint }),
    ...(resultHint !== undefined && { resultHint }),
    examples: [],
    serverOwned: [],
    annotations,
    // Nothing is generated from it: there is no contract that could drift.
    hash: '',
  }
  return { spec, payload, result, call: (args, options) => newToolCall(spec, payload, args, options) }
}
