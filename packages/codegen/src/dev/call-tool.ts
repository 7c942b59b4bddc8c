import { isFields } from '../defined.js'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near-names.js'
import type { Json } from '../schema/json-schema.js'
import { loadInstalled } from './installed-runtime.js'
import { agentNameOf, type CallerOptions, openModule } from './open-module.js'
import { type LoadedModule, readResultId, type Servable, type ServedTool, toolsOf } from './served-module.js'

export interface CallableTool extends ServedTool {
  readonly description: string
  readonly arguments: Json
  readonly agent?: string
}

export interface ToolRequest {
  readonly tool: CallableTool
  /** JSON text. The text can be invalid; the runtime then reports the errors. */
  readonly arguments: string
  /** These options override the options from the `context` function of the module. */
  readonly options: Pick<CallerOptions, 'sessionId' | 'labels'>
  readonly approve: CallerOptions['approve']
  readonly onUpdate: (update: string) => void
}

export interface CalledOutcome {
  readonly status: 'completed' | 'failed' | 'suspended'
  readonly provenance: Readonly<Record<string, unknown>>
  readonly json?: string
  readonly hint?: Readonly<Record<string, unknown>>
  readonly error?: Readonly<Record<string, unknown>>
  readonly suspension?: Readonly<Record<string, unknown>>
}

export interface OpenedTools {
  readonly tools: readonly CallableTool[]
  /** Returns only diagnostics if the module throws an error. */
  call(request: ToolRequest): Promise<Checked<{ readonly outcome: CalledOutcome; readonly text: string }>>
  close(): Promise<readonly Diagnostic[]>
}

export async function openTools(
  load: () => Promise<Checked<LoadedModule>>,
  root: string,
): Promise<Checked<OpenedTools>> {
  const render = await loadInstalled('@toolgen/runtime', 'renderForModel', root)
  const { value: renderForModel } = render
  if (renderForModel === undefined) return { diagnostics: render.diagnostics }
  const { value: module, diagnostics } = await openModule(load, root)
  if (module === undefined) return { diagnostics }
  const owners = new Map(module.registered.flatMap((owner) => callable(owner).map((tool) => [tool, owner] as const)))
  return {
    diagnostics,
    value: {
      tools: [...owners.keys()],
      close: module.close,
      async call({ tool, arguments: sent, options, approve, onUpdate }) {
        const { value: all, diagnostics: wrong } = await module.optionsOf(tool, { ...options, approve, onUpdate })
        if (all === undefined) return { diagnostics: wrong }
        const owner = owners.get(tool)
        const execute: unknown = Reflect.get(Object(owner), 'execute')
        if (typeof execute !== 'function') throw new TypeError(`The owner of ${tool.id} cannot execute calls.`)
        const outcome: unknown = await Reflect.apply(execute, owner, [{ tool: tool.id, arguments: sent }, all])
        if (!isOutcome(outcome)) throw new TypeError('`execute` of the installed runtime does not return an outcome.')
        return {
          value: { outcome, text: String(Reflect.apply(renderForModel, undefined, [outcome])) },
          diagnostics: [],
        }
      },
    },
  }
}

export function findTool(tools: readonly CallableTool[], name: string, agent?: string): Checked<CallableTool> {
  const agents = [...new Set(tools.flatMap((tool) => tool.agent ?? []))]
  if (agent !== undefined && !agents.includes(agent)) {
    const what = agents.length === 0 ? 'The module has no agents.' : `The module has the agents ${agents.join(', ')}.`
    return { diagnostics: [errorAt(undefined, 'TG7010', `There is no agent \`${agent}\`.`, what)] }
  }
  const own = agent === undefined ? tools : tools.filter((tool) => tool.agent === agent)
  const exact = own.filter(({ id, toolName }) => id === name || toolName === name)
  const found = exact.length > 0 ? exact : own.filter(({ id }) => shortName(id) === name)
  const [first, second] = found
  if (first !== undefined && second === undefined) return { value: first, diagnostics: [] }
  if (first !== undefined) {
    const ids = [...new Set(found.map(({ id }) => id))]
    const several = `\`${name}\` is the name of ${found.length} tools: `
    const [message, next] =
      ids.length > 1
        ? [`${several}${ids.join(', ')}.`, `Use the id of the tool, e.g. \`toolgen call ${ids[0]}\`.`]
        : [
            `${found.length} agents use \`${ids[0]}\`: ${agents.join(', ')}.`,
            `Add \`--agent ${first.agent ?? agents[0]}\`.`,
          ]
    return { diagnostics: [errorAt(undefined, 'TG7010', message, next)] }
  }
  const near = nearest(
    name,
    own.flatMap(({ id, toolName }) => [shortName(id), id, toolName]),
  )
  const next = near[0] === undefined ? 'Run `toolgen call` for a list of the tools.' : `Did you mean \`${near[0]}\`?`
  const message = `The module has no tool \`${name}\`.`
  return { diagnostics: [errorAt(undefined, 'TG7010', message, next, near.length > 0 ? { near } : {})] }
}

function shortName(id: string): string {
  return id.slice(id.indexOf('.') + 1)
}

function callable(owner: Servable): readonly CallableTool[] {
  const agent = agentNameOf(owner)
  return toolsOf(owner)
    .filter(isCallable)
    .filter(({ id }) => id !== readResultId)
    .map((tool) => (agent !== undefined ? { ...tool, agent } : tool))
}

function isCallable(tool: ServedTool): tool is CallableTool {
  return 'description' in tool && 'arguments' in tool
}

function isOutcome(value: unknown): value is CalledOutcome {
  return isFields(value) && ['completed', 'failed', 'suspended'].some((status) => status === value.status)
}
