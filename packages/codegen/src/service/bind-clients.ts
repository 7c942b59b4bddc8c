import { basename } from 'node:path'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { oldResolutionDiagnostic, tsconfigDiagnostic } from '../evaluate/tsconfig-fault.js'
import { serviceUses } from '../ir/service-uses.js'
import type { AgentIr, DesignIr, ServiceUseIr, ToolsetIr } from '../ir/types.js'
import { jsonText } from '../memory/json-text.js'
import { type BoundToolPlan, bindTool, type ToolBinding, unboundTool } from './bind-tool.js'
import { type Probes, record } from './cache/cache.js'
import type { ServicePlans, ToolPlan, UsePlan } from './plan/plan.js'
import { type ClientFault, findClient } from './program/find-client.js'
import { type GeneratedTypes, generatedTypes } from './program/generated-types.js'
import type { OpenProgram } from './program/open-program.js'
import { type ReadClients, readClients, type ServiceMemory } from './service-memory.js'
import { placeAt } from './types/source-place.js'

/** Binds every tool of every use by the types of the clients; what is remembered is not looked up again. */
export async function bindClients(
  ir: DesignIr,
  { root, tsconfig }: { readonly root: string; readonly tsconfig?: string },
  memory: ServiceMemory,
): Promise<{ readonly checked: Checked<ServicePlans>; readonly probes: Probes }> {
  const modules = [
    ...new Set(ir.agents.flatMap((agent) => serviceUses(agent).map(({ client }) => client.module))),
  ].sort()
  const clients = await readClients({ root, modules, ...(tsconfig !== undefined && { tsconfig }) }, memory)
  if ('fault' in clients) {
    return { checked: { diagnostics: [tsconfigDiagnostic(clients.fault, root)] }, probes: clients.probes() }
  }
  const toolsets = new Map(ir.toolsets.map((toolset) => [toolset.name, toolset]))
  const uses = ir.agents.map((agent) => ({
    agent,
    uses: serviceUses(agent).map((use) => boundUse(use, agent, toolsets)),
  }))
  const source = programSource(
    ir,
    clients,
    uses.flatMap((of) => of.uses),
  )
  const { old } = clients.project
  const diagnostics: Diagnostic[] = old === undefined ? [] : [oldResolutionDiagnostic(old, root)]
  const plans = record(
    uses.map(({ agent, uses }) => [
      agent.name,
      record(uses.map((use) => [use.use.as, bindUse(use, { clients, source, root, diagnostics })])),
    ]),
  )
  clients.faults.endRun()
  clients.plans.endRun()
  const failed = diagnostics.some(({ severity }) => severity === 'error')
  return { checked: failed ? { diagnostics } : { value: plans, diagnostics }, probes: clients.project.probes() }
}

/** A use with its tools, each with the key of everything that decides its plan beside the files of the clients. */
interface BoundUse {
  readonly use: ServiceUseIr
  readonly agent: AgentIr
  readonly key: string
  readonly tools: readonly ToolOfUse[]
}

interface ToolOfUse extends Pick<ToolBinding, 'tool' | 'bound' | 'defs'> {
  readonly key: string
}

function boundUse(use: ServiceUseIr, agent: AgentIr, toolsets: ReadonlyMap<string, ToolsetIr>): BoundUse {
  const toolset = toolsets.get(use.toolset)
  if (toolset === undefined) throw new Error(`There is no toolset '${use.toolset}' in the design.`)
  const { as, client, place } = use
  const { defs } = toolset
  const shared = `${JSON.stringify([as, client])}${jsonText(defs)}`
  const tools = use.tools.map((bound): ToolOfUse => {
    const tool = toolset.tools.find(({ name }) => name === bound.tool)
    if (tool === undefined) throw new Error(`There is no tool '${use.toolset}.${bound.tool}' in the design.`)
    return { tool, bound, defs, key: `${shared}${JSON.stringify(bound)}${jsonText(tool)}` }
  })
  return { use, agent, key: JSON.stringify([agent.name, as, client, place]), tools }
}

/** The program in which what is not remembered can be looked up, and the names of the generated types in it. */
interface OpenTypes {
  readonly program: OpenProgram
  readonly types: GeneratedTypes
}

interface ProgramSource {
  /** The program, made when it is first asked for. */
  readonly open: () => OpenTypes
  /** Makes another program: an error inside the compiler may have left the first one with wrong answers. */
  readonly reopen: () => void
}

/** The program over the types of the tools of which nothing is remembered. */
function programSource(ir: DesignIr, clients: ReadClients, uses: readonly BoundUse[]): ProgramSource {
  let opened: OpenTypes | undefined
  return {
    open() {
      if (opened !== undefined) return opened
      const fresh = uses.flatMap(({ tools }) => tools.filter(({ key }) => !clients.plans.has(key)))
      const types = generatedTypes(ir, new Set(fresh.map(({ tool }) => tool.id)))
      opened = { types, program: clients.project.program(types.text) }
      return opened
    },
    reopen() {
      if (opened === undefined) return
      const { types, program } = opened
      opened = { types, program: clients.project.program(types.text, program) }
    },
  }
}

interface UseScene {
  readonly clients: ReadClients
  readonly source: ProgramSource
  readonly root: string
  /** Grows. */
  readonly diagnostics: Diagnostic[]
}

function bindUse({ use, agent, key, tools }: BoundUse, scene: UseScene): UsePlan {
  const { clients, source, root, diagnostics } = scene
  const faults = clients.faults.get(key, () => {
    const client = findClient(use.client, source.open().program)
    return 'faults' in client ? client.faults.map((fault) => clientDiagnostic(fault, use, agent, root)) : []
  })
  diagnostics.push(...faults)
  if (faults.length > 0) return record([])
  return record(
    tools.flatMap((tool): (readonly [string, ToolPlan])[] => {
      const made = boundTool(tool, use, scene)
      diagnostics.push(...made.diagnostics)
      return made.plan === undefined ? [] : [[tool.bound.tool, made.plan]]
    }),
  )
}

/** The plan of a tool: a remembered one, else a new one. What an internal error leaves is not remembered. */
function boundTool(tool: ToolOfUse, use: ServiceUseIr, { clients, source, root }: UseScene): BoundToolPlan {
  // An error of the program itself is no error of this tool.
  if (!clients.plans.has(tool.key)) source.open()
  try {
    return clients.plans.get(tool.key, () => bindTool(toolBinding(tool, use, source.open(), root)))
  } catch (error) {
    source.reopen()
    return unboundTool(toolBinding(tool, use, source.open(), root), error)
  }
}

function toolBinding(
  { tool, bound, defs }: ToolOfUse,
  { as, client: ref }: ServiceUseIr,
  { program, types }: OpenTypes,
  root: string,
): ToolBinding {
  const client = findClient(ref, program)
  const names = types.names.get(tool.id)
  if ('faults' in client || names === undefined) throw new Error(`The types of '${tool.id}' were not opened.`)
  const generated = {
    payload: program.generatedType(names.payload),
    result: program.generatedType(names.result),
    ...(names.update === undefined ? {} : { update: program.generatedType(names.update) }),
  }
  const name = ref.path.at(-1) === 'default' ? basename(ref.module) : ref.path.join('.')
  const { reader } = program
  return { tool, bound, use: as, defs, client: { name, type: client.type }, generated, reader, root }
}

function clientDiagnostic(fault: ClientFault, use: ServiceUseIr, agent: AgentIr, root: string): Diagnostic {
  const { code, message, near, node } = fault
  const name = `\`${agent.name}\`, use of \`${use.as}\``
  return {
    code,
    severity: 'error',
    message: node === undefined ? `${name}: ${message.charAt(0).toUpperCase()}${message.slice(1)}.` : message,
    place: node === undefined ? use.place : placeAt(node.file, node.start, root),
    next: clientSteps[code],
    ...(near?.length ? { near } : {}),
    ...(node === undefined
      ? {}
      : { related: [{ message: `${name}: Its client's type is read here.`, place: use.place }] }),
  }
}

const clientSteps: Readonly<Record<ClientFault['code'], string>> = {
  TG4001: 'Export the client from its module: `export const ordersClient = serviceClient<OrdersClient>()`.',
  TG4002: 'Correct the import or install the package; until then the client type would be read as any.',
  TG4003: 'Make the client type resolve in your project: install the package or its types.',
  TG4004: 'Give the type of your client: `serviceClient<OrdersClient>()`.',
}
