import { isRepeatable } from '../call/call-context.js'
import { guardLayer, requireLayer } from '../call/layer-guard.js'
import type { ToolExecutor } from '../types/executor.js'
import type { ToolLayer, ToolService } from '../types/layer.js'
import type { LayeredTool, RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { DefaultLayers, ToolDescriptor, ToolSpec } from '../types/tool.js'
import { confirmationLayer } from './approval.js'
import { timeout } from './built-in.js'
import { retry } from './retry.js'

/** `any`, because TypeScript checks the required `env` in the public types. */
type Wrap = (toolName: string, service: ToolService<any>) => ToolService<any>

/**
 * Combines a toolset with its executor. The default layers of the design are the innermost layers: `timeout`, and `retry` around `timeout`.
 * If the design of a tool declares a confirmation, the approval layer runs around `retry`, and `Env` is `HasApproval`.
 *
 * @throws {TypeError} if `defaultLayers` is neither `false` nor an object by tool name, or if a tool has an unknown option.
 * @throws {RangeError} if a number in `defaultLayers` is out of range, or if `attempts` is set for a tool that must not run twice. A tool
 * may run twice if it is `readOnly`, if it is `idempotent`, or if it receives an idempotency key.
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
  // `any`: the overloads declare what the layers need.
  const { payloadAdapter, resultAdapter, decodeInExecutor, checks, hints, defaultLayers, telemetryBuilder } = options
  const own = { payloadAdapter, resultAdapter, decodeInExecutor, checks, hints, defaultLayers, telemetryBuilder }
  requireOverrides(defaultLayers)
  const declared = new Map(use.toolset.tools.map(({ spec }) => [spec.name, declaredLayers(spec, defaultLayers)]))
  // Plain JavaScript can pass `null`, which counts as absent.
  const present = Object.entries(own).filter(([, option]) => option !== undefined && option !== null)
  return layeredRegistration({ ...Object.fromEntries(present), use, executor }, (toolName, service) =>
    (declared.get(toolName) ?? []).reduce((inner, layer) => guardLayer(layer, inner), service),
  )
}

/**
 * The first layer is the innermost layer. The approval layer is outside the timeout layer, so that the time limit excludes the wait for the approver.
 */
function declaredLayers(spec: ToolSpec, overrides: RegistrationOptions['defaultLayers']): readonly ToolLayer<any>[] {
  const { name, confirmation, defaultLayers } = spec
  const override = overrides && Object.hasOwn(overrides, name) ? overrides[name] : undefined
  const isOff = overrides === false || override === false
  const { timeoutMs, attempts } = isOff ? {} : requireDefaultLayers(spec, override ?? defaultLayers ?? {})
  return [
    ...(timeoutMs === undefined ? [] : [timeout(timeoutMs)]),
    ...(attempts === undefined ? [] : [retry({ attempts })]),
    ...(confirmation === undefined ? [] : [confirmationLayer(spec)]),
  ]
}

const DEFAULT_LAYER_BOUNDS = { timeoutMs: [1, 2_147_483_647], attempts: [2, 100] } as const

function requireOverrides(overrides: RegistrationOptions['defaultLayers']): void {
  if (overrides === undefined || overrides === null || overrides === false) return
  if (typeof overrides === 'object' && !Array.isArray(overrides)) return
  throw new TypeError(
    'defaultLayers must be `false` or an object by tool name, for example { getOrder: { timeoutMs: 5_000 } }',
  )
}

function requireDefaultLayers(tool: ToolSpec, layers: DefaultLayers): DefaultLayers {
  const subject = `defaultLayers of '${tool.name}'`
  if (typeof layers !== 'object' || Array.isArray(layers)) {
    throw new TypeError(`${subject} must be \`false\` or an object, for example { timeoutMs: 5_000 }`)
  }
  for (const [option, value] of Object.entries(layers)) {
    if (option !== 'timeoutMs' && option !== 'attempts') {
      throw new TypeError(`${subject}: unknown option '${option}'. The options are timeoutMs and attempts`)
    }
    if (value === undefined) continue
    const [least, most] = DEFAULT_LAYER_BOUNDS[option]
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) continue
    const shown = typeof value === 'number' ? value : `a value of type ${value === null ? 'null' : typeof value}`
    throw new RangeError(`${subject}: ${option} must be an integer from ${least} to ${most}, but is ${shown}`)
  }
  if (layers.attempts === undefined || isRepeatable(tool)) return layers
  throw new RangeError(
    `${subject}: the tool is neither readOnly nor idempotent, so attempts may repeat its effect. Remove attempts, declare readOnly or idempotent in the design, or fill a field with serverOwned: { FIELD: 'idempotencyKey' }`,
  )
}

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
      const subject = `.tool(${parts.use.toolset.name}.${toolName}, layers)`
      if (typeof layers !== 'function') {
        throw new TypeError(`${subject}: layers must be a function, for example (tool) => tool.layer(audit).`)
      }
      const around: unknown = layers(new ToolLayers((service) => service))
      if (!(around instanceof ToolLayers)) {
        throw new TypeError(
          `${subject}: the function must return its argument with layers, for example (tool) => tool.layer(audit).`,
        )
      }
      return layeredRegistration(parts, (name, service) => {
        const inner = wrap(name, service)
        return name === toolName ? around.wrap(inner) : inner
      })
    },
  })
}

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
    `.tool() expects a tool of the toolset '${name}', for example ${name}.${tools[0]?.spec.name ?? '…'}`,
  )
}
