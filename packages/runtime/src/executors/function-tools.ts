import { newToolCall } from '../call/descriptors.js'
import { guardLayer, requireLayer } from '../call/layer-guard.js'
import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { layeredRegistration } from '../layers/registration.js'
import type { Codec } from '../types/codec.js'
import type { ExecutorRequest, ToolExecutor } from '../types/executor.js'
import type { JsonSchema } from '../types/json.js'
import type { ToolLayer, ToolService } from '../types/layer.js'
import type { ToolsetRegistration } from '../types/registration.js'
import type {
  MaxResult,
  ReadLabel,
  SensitiveFields,
  ToolAnnotations,
  ToolDescriptor,
  ToolSpec,
  WriteLabel,
} from '../types/tool.js'

/** Definition of a hand-written tool: its name, descriptions, schemas, and the function that runs it. */
export interface ToolDefinition {
  /** Tool name: up to 64 letters, digits, `_` and `-`. Default: the name of the function `run`. */
  readonly name?: string
  /** Title of the tool for users. Default: the tool name. */
  readonly title?: string
  /** Purpose of the tool, for models. Also describe when to use the tool. */
  readonly description: string
  /** Text that users see while the tool runs. The text can contain names of arguments, such as `Looking up {{city}}`. Default: no text. */
  readonly callHint?: string
  /** Text that users see after the call. The text can contain names of the result's properties, such as `{{degrees}} degrees`. Default: no text. */
  readonly resultHint?: string
  /** JSON Schema of the arguments, sent to models. To validate the arguments, add the layer `inputSchema(...)`. */
  readonly parameters: JsonSchema
  /** JSON Schema of one update. An update is a value that a tool emits before its result. Required for tools that emit updates. */
  readonly updates?: JsonSchema
  readonly annotations?: ToolAnnotations
  /** Kinds of data that the tool reads. The layer `dataFlow` uses this declaration. Default: undeclared. */
  readonly reads?: ReadLabel | readonly ReadLabel[]
  /** Kinds of effects that the tool has. The layer `dataFlow` uses this declaration. Default: undeclared. */
  readonly writes?: WriteLabel | readonly WriteLabel[]
  /**
   * Maximum size of the result for models. The runtime shortens longer results. Models can read the omitted parts with the tool `read_result`.
   * Default: no maximum.
   */
  readonly maxResult?: MaxResult
  /**
   * Sensitive fields of the arguments, the result and the updates, with the audiences that must not read the values. Default: no sensitive
   * fields.
   */
  readonly sensitive?: SensitiveFields
  /**
   * Runs the tool and returns the result: any JSON value. The runtime converts `undefined` to `null`. If `run` throws a `ToolFailure`, the model
   * receives the message of the failure. For any other error, the model receives a fixed sentence. A tool with `updates` can use an async
   * generator that yields updates and returns the result.
   *
   * @param args arguments, parsed from JSON
   */
  readonly run: (args: any, request: Pick<ExecutorRequest, 'meta' | 'emit'>) => unknown
  // `any`: the arguments have no generated type.
}

/** Hand-written tool with its layers. Immutable. `Env` is the type of the option `env` that the layers require. */
export class Tool<in Env = unknown> {
  /** Never set. TypeScript uses this property to compare the `Env` of two tools. */
  readonly '~env'?: (env: Env) => void
  readonly name: string
  readonly definition: ToolDefinition
  /**
   * Adds the layers of this tool around the function that runs the tool. The type of `env` is `any`, because TypeScript checks `env` where a
   * call starts.
   */
  readonly wrap: (service: ToolService<any>) => ToolService<any>

  constructor(
    definition: ToolDefinition,
    wrap: (service: ToolService<any>) => ToolService<any> = (service) => service,
  ) {
    this.definition = definition
    this.name = nameOf(definition)
    this.wrap = wrap
  }

  /** Returns a copy of the tool with an additional layer. The layer that is added last is the outermost layer. */
  layer(layer: ToolLayer): Tool<Env>
  layer<More>(layer: ToolLayer<More>): Tool<Env & More>
  layer(layer: ToolLayer<any>): Tool<any> {
    requireLayer(layer)
    return new Tool<any>(this.definition, (service) => guardLayer(layer, this.wrap(service)))
  }
}

/**
 * Creates a hand-written tool, without a design. Calls of this tool have the same outcomes, events and layers as calls of a generated tool.
 * Models receive the schema `parameters`. To validate the arguments, add the layer `inputSchema`.
 *
 * @throws {TypeError} if the name is missing or invalid, or if `run` is not a function.
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
  if (typeof run !== 'function') throw new TypeError('tool: `run` must be a function')
  const found = name ?? (run.name === 'run' ? '' : run.name)
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(found)) return found
  const problem = found === '' ? 'the tool has no name' : `'${found}' is not a valid tool name`
  throw new TypeError(`tool: ${problem}. Set \`name\` to 1 to 64 letters, digits, _ or -`)
}

type EnvOfTools<Tools extends readonly Tool<never>[]> = Tools extends readonly []
  ? unknown
  : [Tools[number]] extends [Tool<infer Env>]
    ? Env
    : never

/**
 * Combines hand-written tools into a toolset that can be registered. A tool id consists of the toolset name and the tool name, such as
 * `local.weather`. Models see only the tool name, such as `weather`.
 *
 * @throws {TypeError} if two tools have the same name.
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
  if (twice !== undefined) throw new TypeError(`toolset '${name}': two tools have the name '${twice}'`)
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

function labelsOf<Label extends string>(
  tool: string,
  property: string,
  labels: Label | readonly Label[] | undefined,
  known: readonly Label[],
): readonly Label[] | undefined {
  if (labels === undefined) return undefined
  const all: readonly Label[] = typeof labels === 'string' ? [labels] : labels
  if (!Array.isArray(all) || !all.every((label) => known.includes(label))) {
    throw new TypeError(`tool '${tool}': ${property} must be one of ${known.join(' and ')}, or an array of them`)
  }
  return known.filter((label) => all.includes(label))
}

function descriptorOf(toolset: string, { name, definition }: Tool<never>): ToolDescriptor {
  const { title = name, description, parameters, updates, annotations = {}, callHint, resultHint } = definition
  const { maxResult, sensitive } = definition
  const reads = labelsOf(name, 'reads', definition.reads, ['private', 'untrusted'])
  const writes = labelsOf(name, 'writes', definition.writes, ['external', 'irreversible'])
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
    ...(reads !== undefined && { reads }),
    ...(writes !== undefined && { writes }),
    ...(maxResult !== undefined && { maxResult }),
    ...(sensitive !== undefined && { sensitive }),
    // No code is generated from this tool, so there is no contract to hash.
    hash: '',
  }
  return { spec, payload, result, call: (args, options) => newToolCall(spec, payload, args, options) }
}
