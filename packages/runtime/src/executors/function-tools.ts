import { newToolCall } from '../call/descriptors.js'
import { guardLayer, requireLayer } from '../call/layer-scope.js'
import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { layeredRegistration } from '../layers/registration.js'
import type { Codec } from '../types/codec.js'
import type { JsonSchema } from '../types/json.js'
import type { ToolLayer, ToolService } from '../types/layer.js'
import type { ExecutorRequest, ToolExecutor, ToolsetRegistration } from '../types/registration.js'
import type { ToolAnnotations, ToolDescriptor, ToolSpec } from '../types/tool.js'

/** A codec of whatever can be written as JSON; nothing counts as `null`. */
function anyResultCodec(): Codec<any, unknown> {
  // `any`: nothing is declared of the value.
  const codec: Codec<any, unknown> = resultCodec({ schema: {}, unknown: 'keep' })
  return {
    is: (value): value is unknown => codec.is(value),
    decode: (json) => codec.decode(json),
    decodeValue: (value) => codec.decodeValue(value),
    encodeValue: (value) => codec.encodeValue(value ?? null),
    encode: (value) => codec.encode(value ?? null),
    schema: codec.schema,
  }
}

/** What a hand-written tool is made of. */
export interface ToolDefinition {
  /** What models call it: letters, digits, `_` and `-`, at most 64. Default: the name of the function `run`. */
  readonly name?: string
  /** Shown to users. Default: the name. */
  readonly title?: string
  /** Read by models. */
  readonly description: string
  /** Template over the arguments, shown while the tool runs, e.g. `Looking up {{city}}`. */
  readonly callHint?: string
  /** Template over the answer. */
  readonly resultHint?: string
  /** JSON Schema of the arguments, as models are shown it. Only `inputSchema(...)` enforces it. */
  readonly parameters: JsonSchema
  /** JSON Schema of one update; present exactly for a tool that emits updates. */
  readonly updates?: JsonSchema
  readonly annotations?: ToolAnnotations
  /**
   * Answers a call with anything that can be written as JSON; nothing counts as `null`. A `ToolFailure` that it throws is
   * shown to the model, another error as one fixed sentence. With `updates`, it may be an async generator: what it yields
   * are updates, what it returns is the answer.
   *
   * @param args the parsed arguments, as they were sent
   */
  readonly run: (args: any, request: Pick<ExecutorRequest, 'meta' | 'emit'>) => unknown
  // `any`: who writes the tool knows what the schema says, and nothing enforces it.
}

/** A hand-written tool with the layers around it. `Env` names what they need. Immutable. */
export class Tool<in Env = unknown> {
  /** Makes `Env` count in assignability; never present. */
  readonly '~env'?: (env: Env) => void
  readonly name: string
  readonly definition: ToolDefinition
  readonly #wrap: (service: ToolService<any>) => ToolService<any>

  constructor(
    definition: ToolDefinition,
    wrap: (service: ToolService<any>) => ToolService<any> = (service) => service,
  ) {
    this.definition = definition
    this.name = nameOf(definition)
    this.#wrap = wrap
  }

  /** The tool with one more layer around it; the last one is the outermost. */
  layer(layer: ToolLayer): Tool<Env>
  layer<More>(layer: ToolLayer<More>): Tool<Env & More>
  layer(layer: ToolLayer<any>): Tool<any> {
    requireLayer(layer)
    return new Tool<any>(this.definition, (service) => guardLayer(layer, this.#wrap(service)))
  }

  /** The service with the layers of this tool around it. `any`: the env is checked where calls begin. */
  wrap(service: ToolService<any>): ToolService<any> {
    return this.#wrap(service)
  }
}

/**
 * A tool that is written by hand, without a design. It has the same outcomes, events and layers as a generated one; its
 * schema is only advertised unless the layer `inputSchema` enforces it.
 *
 * @throws {TypeError} when the name cannot be used by models, or there is none.
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
    toolNames: Object.fromEntries(names.map((each) => [each, each])),
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
