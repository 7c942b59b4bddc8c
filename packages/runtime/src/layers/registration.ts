import { guardLayer, requireLayer } from '../call/guard-layer.js'
import type { ToolDescriptor } from '../types/call.js'
import type { ToolExecutor } from '../types/executor.js'
import type { ToolLayer, ToolService } from '../types/layer.js'
import type { LayeredTool, RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { ToolSpec } from '../types/tool.js'
import { approval } from './approval.js'
import { timeout } from './built-in.js'
import { retry } from './retry.js'

/** Wraps the service of the tool of a name. `any`: what layers need of the env is checked by types alone. */
type Wrap = (toolName: string, service: ToolService<any>) => ToolService<any>

/**
 * Joins a use of a toolset with the executor that serves it. The default layers of the design are innermost: `timeout`, then
 * `retry`. Tools whose design declares a confirmation have the approval layer around these; `Env` is `HasApproval` then.
 *
 * @throws {RangeError} for default layers that `timeout` or `retry` refuses.
 *
 * @example
 * runtime.registerToolset(toolsetRegistration(supportOrdersUse, executor).layer(timeout(5_000)))
 */
export function toolsetRegistration(
  use: ToolsetUse,
  executor: ToolExecutor,
  options?: RegistrationOptions,
): ToolsetRegistration
export function toolsetRegistration<Env>(
  use: ToolsetUse,
  executor: ToolExecutor,
  options?: RegistrationOptions,
): ToolsetRegistration<Env>
export function toolsetRegistration(
  use: ToolsetUse,
  executor: ToolExecutor,
  options: RegistrationOptions = {},
): ToolsetRegistration<any> {
  // `any`: what the layers need is said by the overloads.
  const { payloadAdapter, resultAdapter, decodeInExecutor, checks, hints, defaultLayers, telemetryBuilder } = options
  const given = { payloadAdapter, resultAdapter, decodeInExecutor, checks, hints, defaultLayers, telemetryBuilder }
  const declared = new Map(use.toolset.tools.map(({ spec }) => [spec.name, declaredLayers(spec, defaultLayers)]))
  // An own `null`, as plain JavaScript may give it, counts as absent.
  const present = Object.entries(given).filter(([, option]) => option !== undefined && option !== null)
  return layeredRegistration({ ...Object.fromEntries(present), use, executor }, (toolName, service) =>
    (declared.get(toolName) ?? []).reduce((inner, layer) => guardLayer(layer, inner), service),
  )
}

/** The layers that a design declares for a tool, the innermost first. A person's answer takes no time of an attempt. */
function declaredLayers(
  { name, confirmation, defaultLayers }: ToolSpec,
  overrides: RegistrationOptions['defaultLayers'],
): readonly ToolLayer<any>[] {
  const isByTool = typeof overrides === 'object' && overrides !== null
  const override = isByTool ? (Object.hasOwn(overrides, name) ? overrides[name] : undefined) : overrides
  const { timeoutMs, attempts } = override === false ? {} : (override ?? defaultLayers ?? {})
  try {
    return [
      ...(timeoutMs === undefined ? [] : [timeout(timeoutMs)]),
      ...(attempts === undefined ? [] : [retry({ attempts })]),
      ...(confirmation === undefined ? [] : [approval()]),
    ]
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new RangeError(`defaultLayers of '${name}': ${error.message}`, { cause: error })
  }
}

/** A registration over a wrap that knows the layers of each tool. */
export function layeredRegistration(
  parts: RegistrationOptions & Pick<ToolsetRegistration, 'use' | 'executor'>,
  wrap: Wrap,
): ToolsetRegistration<any> {
  return Object.freeze({
    ...parts,
    wrap,
    layer: (layer: ToolLayer<any>) => {
      requireLayer(layer)
      return layeredRegistration(parts, (name, service) => guardLayer(layer, wrap(name, service)))
    },
    tool: (tool: ToolDescriptor, layers: (tool: LayeredTool) => LayeredTool<any>) => {
      const toolName = nameOf(parts.use, tool)
      const own = new ToolLayers((service) => service)
      const around = layers(own)
      if (!(around instanceof ToolLayers)) throw new TypeError('.tool() takes (tool) => tool.layer(...)')
      return layeredRegistration(parts, (name, service) => {
        const inner = wrap(name, service)
        return name === toolName ? around.wrap(inner) : inner
      })
    },
  })
}

/** The layers of one tool. */
class ToolLayers implements LayeredTool<any> {
  readonly wrap: (service: ToolService<any>) => ToolService<any>

  constructor(wrap: (service: ToolService<any>) => ToolService<any>) {
    this.wrap = wrap
  }

  layer(layer: ToolLayer<any>): ToolLayers {
    requireLayer(layer)
    return new ToolLayers((service) => guardLayer(layer, this.wrap(service)))
  }
}

function nameOf(use: ToolsetUse, tool: ToolDescriptor): string {
  const { tools, name } = use.toolset
  const found = tools.find((each) => each === tool || each.spec === tool?.spec)
  if (found !== undefined) return found.spec.name
  throw new TypeError(
    `toolset '${name}' has no such tool: give one of its own, e.g. ${name}.${tools[0]?.spec.name ?? '…'}`,
  )
}
