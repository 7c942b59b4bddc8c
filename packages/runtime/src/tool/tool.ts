import type { ExecutorRequest } from '../contract/executor.js'
import type { JsonSchema } from '../contract/json.js'
import type { ToolLayer, ToolService } from '../contract/layer.js'
import type { ToolAnnotations } from '../contract/spec.js'
import { guardLayer, requireLayer } from '../layer/guard-layer.js'

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
