import { basename } from 'node:path'
import { jsonHash } from '../cache.js'
import { cachedBy } from '../defined.js'
import { internalErrorText } from '../diagnostics/diagnostic.js'
import type { AgentIr, DesignIr, ToolsetIr } from '../ir/types.js'
import { type ClientRef, type ServiceUseIr, serviceUses } from '../ir/uses.js'
import { type BoundToolPlan, bindTool, type ToolBinding } from './bind-tool.js'
import { ToolDiagnostics } from './binding-diagnostics.js'
import type { BindingDiagnostic, UseDiagnostics } from './binding-place.js'
import { capital, clientSteps } from './binding-steps.js'
import { type ClientError, type FoundClient, findClient, findMethod } from './client.js'
import { locationAt } from './descriptions.js'
import { type GeneratedTypes, generatedTypes } from './generated-types.js'
import { bindingOptions, boundTool, record, type ServicePlans, type UsePlan } from './plan.js'
import type { OpenProgram } from './program.js'
import { responseOf } from './response.js'
import type { KeptClients } from './service-memory.js'
import { isGeneric } from './verdicts.js'

/** `key` identifies the cached plan of the tool, and must contain all inputs of the plan except the files with the client's type. */
interface BoundTool extends Pick<ToolBinding, 'tool' | 'bound' | 'defs'> {
  readonly key: string
}

interface BoundUse {
  readonly use: ServiceUseIr
  readonly agent: AgentIr
  readonly tools: readonly BoundTool[]
}

interface Opened {
  readonly program: OpenProgram
  readonly types: GeneratedTypes
  /** Results of `findClient`. */
  readonly clients: Map<ClientRef, FoundClient>
}

export class DesignBinding {
  readonly #ir: DesignIr
  readonly #root: string
  readonly #clients: KeptClients
  readonly #uses: readonly BoundUse[]
  #opened: Opened | undefined = undefined

  constructor(ir: DesignIr, root: string, clients: KeptClients) {
    this.#ir = ir
    this.#root = root
    this.#clients = clients
    const toolsets = new Map(ir.toolsets.map((toolset) => [toolset.name, toolset]))
    this.#uses = ir.agents.flatMap((agent) =>
      serviceUses(agent).map((use) => ({ use, agent, tools: boundTools(use, toolsets.get(use.toolset)) })),
    )
  }

  bind(): { readonly plans?: ServicePlans; readonly found: readonly UseDiagnostics[] } {
    const found: UseDiagnostics[] = []
    const plans = record(
      this.#ir.agents.map((agent) => [
        agent.name,
        record(this.#uses.filter((each) => each.agent === agent).map((each) => [each.use.as, this.#use(each, found)])),
      ]),
    )
    this.#clients.diagnostics.endRun()
    this.#clients.plans.endRun()
    const failed = found.some(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error'))
    return failed ? { found } : { plans, found }
  }

  #use({ use, agent, tools }: BoundUse, found: UseDiagnostics[]): UsePlan {
    const place = { agent: agent.name, as: use.as }
    const key = JSON.stringify([agent.name, use.as, use.client])
    const ofClient = this.#clients.diagnostics.get(key, () => {
      const client = this.#client(use.client)
      return 'errors' in client ? client.errors.map((error) => clientDiagnostic(error, use, agent, this.#root)) : []
    })
    if (ofClient.length > 0) {
      found.push({ ...place, diagnostics: ofClient })
      return record([])
    }
    return record(
      tools.flatMap((tool) => {
        const { plan, diagnostics } = this.#plan(tool, use)
        if (diagnostics.length > 0) found.push({ ...place, tool: tool.bound.tool, diagnostics })
        return plan === undefined ? [] : [[tool.bound.tool, plan] as const]
      }),
    )
  }

  /** A plan is not cached after an internal error, because the next attempt can succeed. */
  #plan(tool: BoundTool, use: ServiceUseIr): BoundToolPlan {
    // Outside of `try`, because an error while opening the program is not specific to this tool.
    if (!this.#clients.plans.has(tool.key)) this.#open()
    try {
      return this.#clients.plans.get(tool.key, () => bindTool(this.#binding(tool, use)))
    } catch (error) {
      // After an error, the program may return wrong types, so it is created again.
      if (this.#opened !== undefined) {
        const { types, program } = this.#opened
        this.#opened = { types, program: this.#clients.project.program(types.text, program), clients: new Map() }
      }
      return unboundTool(this.#binding(tool, use), error)
    }
  }

  #open(): Opened {
    if (this.#opened === undefined) {
      const fresh = this.#uses.flatMap(({ tools }) => tools.filter(({ key }) => !this.#clients.plans.has(key)))
      const types = generatedTypes(this.#ir, new Set(fresh.map(({ tool }) => tool.id)))
      this.#opened = { types, program: this.#clients.project.program(types.text), clients: new Map() }
    }
    return this.#opened
  }

  #client(ref: ClientRef): FoundClient {
    const { program, clients } = this.#open()
    const client = clients.get(ref) ?? findClient(ref, program)
    clients.set(ref, client)
    return client
  }

  #binding({ tool, bound, defs }: BoundTool, { as, client: ref }: ServiceUseIr): ToolBinding {
    const { program, types } = this.#open()
    const client = this.#client(ref)
    const names = types.names.get(tool.id)
    if ('errors' in client || names === undefined) throw new Error(`The types of '${tool.id}' were not opened.`)
    const generated = {
      payload: program.generatedType(names.payload),
      result: program.generatedType(names.result),
      ...(names.update !== undefined && { update: program.generatedType(names.update) }),
    }
    const name = ref.path.at(-1) === 'default' ? basename(ref.module) : ref.path.join('.')
    const { reader } = program
    return { tool, bound, use: as, defs, client: { name, type: client.type }, generated, reader, root: this.#root }
  }
}

const boundPart = cachedBy(boundTool)

function boundTools({ toolset: name, as, client, tools }: ServiceUseIr, toolset?: ToolsetIr): readonly BoundTool[] {
  if (toolset === undefined) throw new Error(`There is no toolset '${name}' in the design.`)
  const { defs } = toolset
  const shared = `${JSON.stringify([as, client])}${jsonHash(defs)}`
  const byName = new Map(toolset.tools.map((tool) => [tool.name, tool]))
  return tools.map((use) => {
    const found = byName.get(use.tool)
    if (found === undefined) throw new Error(`There is no tool '${name}.${use.tool}' in the design.`)
    const bound = bindingOptions(use)
    const tool = boundPart(found)
    return { tool, bound, defs, key: `${shared}${JSON.stringify(bound)}${jsonHash(tool)}` }
  })
}

function clientDiagnostic(
  { code, message, near, node }: ClientError,
  use: ServiceUseIr,
  agent: AgentIr,
  root: string,
): BindingDiagnostic {
  const name = `\`${agent.name}\`, use of \`${use.as}\``
  const next = clientSteps[code]
  if (node !== undefined) {
    const related = [{ message: `${name}: The client's type is read here.`, location: { place: 'use' } as const }]
    return { code, severity: 'error', message, location: locationAt(node.file, node.start, root), next, related }
  }
  return {
    code,
    severity: 'error',
    message: `${name}: ${capital(message)}.`,
    location: { place: 'use' },
    next,
    ...(near?.length && { near }),
  }
}

function unboundTool({ tool, bound, use, client, reader }: ToolBinding, error: unknown): BoundToolPlan {
  // Each step can fail with the same internal error as the comparison.
  const attempt = <Value>(step: () => Value): Value | undefined => {
    try {
      return step()
    } catch {
      return undefined
    }
  }
  const found = attempt(() => findMethod(client.type, bound.method, client.name, reader))
  const method = found !== undefined && 'method' in found ? found.method : undefined
  const last = method?.signatures.at(-1)
  const response = last && attempt(() => responseOf(last, reader))
  const diagnostics = new ToolDiagnostics(tool.name, use, bound, client.name)
  diagnostics.steps.streams = tool.updates !== undefined && response?.item !== undefined
  const reason = `a bug in toolgen prevents the comparison of the method's types: ${internalErrorText(error)} (TG4303)`
  const mapper = { verdict: 'mapper', reason } as const
  return {
    plan: {
      tool: tool.name,
      method: method?.path ?? bound.method.split('.'),
      optional: method?.optional ?? [],
      signature: { fromLast: 0, of: method?.signatures.length ?? 1, generic: last !== undefined && isGeneric(last) },
      payload: mapper,
      result: mapper,
      ...(diagnostics.steps.streams && { stream: { collect: bound.collect ?? 'list', update: mapper } }),
      thenable: response?.isThenable ?? false,
      unwrapData: false,
    },
    diagnostics: [diagnostics.uncompared(error)],
  }
}
