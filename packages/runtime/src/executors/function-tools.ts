import { newToolCall } from '../call/descriptors.js'
import { guardLayer, requireLayer } from '../call/layer-guard.js'
import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { layeredRegistration } from '../layers/registration.js'
import type { Codec } from '../types/codec.js'
import type { ExecutorRequest, ToolExecutor } from '../types/executor.js'
import type { JsonSchema } from '../types/json.js'
import type { ToolLayer, ToolService } from '../types/layer.js'
import type { ToolsetRegistration } from '../types/registration.js'
import type { ToolAnnotations, ToolDescriptor, ToolSpec } from '../types/tool.js'

/** Definition of a hand-written tool. */
export interface ToolDefinition {
  /** Tool name: letters, digits, `_` and `-`, at most 64. Default: the name of the function `run`. */
  readonly name?: string
  /** Shown to users. Default: the name. */
  readonly title?: string
  /** Description for models. */
  readonly description: string
  /** Template over the arguments, shown while the tool runs, e.g. `Looking up {{city}}`. */
  readonly callHint?: string
  /** Template over the result. */
  readonly resultHint?: string
  /** JSON Schema of the arguments for models. Only `inputSchema(...)` enforces it. */
  readonly parameters: JsonSchema
  /** JSON Schema of one update; present exactly for a tool that emits updates. */
  readonly updates?: JsonSchema
  readonly annotations?: ToolAnnotations
  /**
   * Returns the result: any JSON value; nothing counts as `null`. The model receives a `ToolFailure` that it throws, and a fixed
   * sentence for any other error. With `updates`, it may be an async generator, which yields updates and returns the result.
   *
   * @param args the parsed arguments, as they were sent
   */
  readonly run: (args: any, request: Pick<ExecutorRequest, 'meta' | 'emit'>) => unknown
  // `any`: the author knows the schema, and nothing enforces it.
}

/** A hand-written tool with the layers around it. `Env` is the type that they require. Immutable. */
export class Tool<in Env = unknown> {
  /** Makes `Env` count in assignability; never present. */
  readonly '~env'?: (env: Env) => void
  readonly name: string
  readonly definition: ToolDefinition
  /** Adds the layers of this tool to its service. `any`: the env is checked where calls begin. */
  readonly wrap: (service: ToolService<any>) => ToolService<any>

  constructor(
    definition: ToolDefinition,
    wrap: (service: ToolService<any>) => ToolService<any> = (service) => service,
  ) {
    this.definition = definition
    this.name = nameOf(definition)
    this.wrap = wrap
  }

  /** Returns the tool with one more layer around it; the last one is the outermost. */
  layer(layer: ToolLayer): Tool<Env>
  layer<More>(layer: ToolLayer<More>): Tool<Env & More>
  layer(layer: ToolLayer<any>): Tool<any> {
    requireLayer(layer)
    return new Tool<any>(this.definition, (service) => guardLayer(layer, this.wrap(service)))
  }
}

/**
 * Returns a hand-written tool, without a design. It has the same outcomes, events and layers as a generated one; its schema
 * is only advertised unless the layer `inputSchema` enforces it.
 *
 * @throws {TypeError} for a missing name, and for one that models cannot use.
 *
 * @example
 * const weather = tool({
 *   name: 'weather',
 *   description: 'The weather of a city.',
 *   parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
 *   run: ({ city }) => forecast(city),
 * }).layer(inputSchema('strict'))
 * const local = runtime.registerToolset(toolset('local', weather))
 */
export function tool(definition: ToolDefinition): Tool {
  return new Tool(definition)
}

function nameOf({ name, run }: ToolDefinition): string {
  if (typeof run !== 'function') throw new TypeError('tool: `run` is no function')
  const found = name ?? (run.name === 'run' ? '' : run.name)
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(found)) return found
  const problem = found === '' ? 'the tool has no name' : `models cannot call a tool '${found}'`
  throw new TypeError(`tool: ${problem}: give \`name\`, 1 to 64 letters, digits, _ or -`)
}

/** Env type that the layers of several tools require together. */
type EnvOfTools<Tools extends readonly Tool<never>[]> = Tools extends readonly []
  ? unknown
  : [Tools[number]] extends [Tool<infer Env>]
    ? Env
    : never

/**
 * Returns hand-written tools as a toolset that can be registered, with ids such as `local.weather`; models call them by their
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
    toolNames: Object.fromEntries(names.map((each) => [each, each])),
  } as const
  const executor: ToolExecutor = {
    async execute({ tool, meta, payload, emit }) {
      const own = byName.get(tool.name)
      if (own === undefined) throw new Error(`there is no hand-written tool '${tool.name}'`)
      return own.definition.run(await payload(), { meta, emit })
    },
  }
  return layeredRegistration({ use, executor }, (toolName, service) => byName.get(toolName)?.wrap(service) ?? service)
}

function descriptorOf(toolset: string, { name, definition }: Tool<never>): ToolDescriptor {
  const { title = name, description, parameters, updates, annotations = {}, callHint, resultHint } = definition
  const payload: Codec<never, unknown> = payloadCodec({ schema: {}, unknown: 'keep' })
  const json: Codec<any, unknown> = resultCodec({ schema: {}, unknown: 'keep' })
  const result: Codec<any, unknown> = {
    // `any`: the value has no declared type. The codec is an instance of a class.
    is: (value): value is unknown => json.is(value),
    decode: (text) => json.decode(text),
    decodeValue: (value) => json.decodeValue(value),
    encodeValue: (value) => json.encodeValue(value ?? null),
    encode: (value) => json.encode(value ?? null),
    schema: json.schema,
  }
  const spec: ToolSpec = {
    id: `${toolset}.${name}`,
    toolset,
    name,
    namespace: 'default',
    toolName: name,
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
