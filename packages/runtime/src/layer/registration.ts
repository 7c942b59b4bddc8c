import type { ToolDescriptor } from '../contract/descriptor.js'
import type { ToolExecutor } from '../contract/executor.js'
import type { ToolLayer, ToolService } from '../contract/layer.js'
import type { LayeredTool, RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../contract/registration.js'
import { approval } from './approval.js'
import { guardLayer, requireLayer } from './guard-layer.js'

/** Wraps the service of the tool of a name. `any`: what layers need of the env is checked by types alone. */
type Wrap = (toolName: string, service: ToolService<any>) => ToolService<any>

/**
 * Joins a use of a toolset with the executor that serves it. Tools whose design declares a confirmation have the approval
 * layer innermost; `Env` is `HasApproval` then.
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
  const withConfirmation = use.toolset.tools.filter((tool) => tool.spec.confirmation !== undefined)
  const confirmed = new Set(withConfirmation.map((tool) => tool.spec.name))
  const { payloadAdapter, resultAdapter, decodeInExecutor, checks, hints, telemetryBuilder } = options
  const given = { payloadAdapter, resultAdapter, decodeInExecutor, checks, hints, telemetryBuilder }
  // An own `null`, as plain JavaScript may give it, counts as absent.
  const present = Object.entries(given).filter(([, option]) => option !== undefined && option !== null)
  return layeredRegistration({ ...Object.fromEntries(present), use, executor }, (toolName, service) =>
    confirmed.has(toolName) ? guardLayer(approval(), service) : service,
  )
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
