import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Checked, type Diagnostic, isInternalError } from '../diagnostics/diagnostic.js'
import { type AgentIr, type DesignIr, type ServiceUseIr, serviceUses, type ToolsetIr } from '../ir/types.js'
import { jsonText, KeyedResults } from '../keyed-results.js'
import { oldResolutionDiagnostic, tsconfigDiagnostic } from '../load/tsconfig.js'
import { type BoundToolPlan, bindTool, type ToolBinding, unboundTool } from './bind-tool.js'
import {
  cacheKey,
  cacheText,
  type Probes,
  probeDisk,
  readCache,
  readCacheText,
  record,
  writeCacheText,
} from './cache.js'
import type { ServicePlans, ToolPlan, UsePlan } from './plan.js'
import {
  type ClientFault,
  findClient,
  type GeneratedTypes,
  generatedTypes,
  type OpenProgram,
  type OpenProject,
  openProject,
  type ProgramRequest,
  tsconfigOf,
  type UnopenedProject,
} from './program.js'
import { locationAt } from './types.js'

/** Where the design lives. */
export interface ServiceProject {
  /** The project's root: absolute. The modules of the clients are relative to it. */
  readonly root: string
  /** The user's tsconfig: absolute. Default: `tsconfig.json` of the root if there is one. */
  readonly tsconfig?: string
  /** A folder for verdicts of earlier runs: absolute. Default: nothing is kept. */
  readonly cacheFolder?: string
}

/** The plans of all tools, or why there are none, and what was read for them. */
export interface ServiceBindings extends Checked<ServicePlans> {
  /** The files outside `node_modules` on which the types of the clients depend, also those that are not there: absolute. */
  readonly read: readonly string[]
}

/**
 * Decides for every tool of every service use how its payload becomes the arguments of the client's method and how the
 * method's answer becomes the tool's result. What no transform can do asks for a mapper and is a note; what the design
 * says wrongly is an error. The compiler is loaded only when there is something to read that is not in the cache.
 *
 * @param memory what earlier runs of this process found. Default: nothing
 * @returns the plans, absent after an error, and all diagnostics in the order of the design
 * @example
 * const { value: plans, diagnostics } = await bindServices(ir, { root: process.cwd() })
 */
export async function bindServices(
  ir: DesignIr,
  project: ServiceProject,
  memory: ServiceMemory = {},
): Promise<ServiceBindings> {
  if (!ir.agents.some((agent) => serviceUses(agent).length > 0)) {
    return { value: record([]), diagnostics: [], read: [] }
  }
  const file = project.cacheFolder === undefined ? undefined : join(project.cacheFolder, 'service-binding.json')
  if (file === undefined) {
    const { checked, probes } = await bindClients(ir, project, memory)
    return { ...checked, read: filesOf(probes) }
  }
  const key = cacheKey([generatorIdentity(), project.root, tsconfigOf(project) ?? '', JSON.stringify(boundPart(ir))])
  const stored = readCacheText(file)
  const cached = stored === undefined ? undefined : readCache(stored, key, probeDisk)
  if (cached !== undefined) return { ...cached.checked, read: filesOf(cached.probes) }
  const { checked, probes } = await bindClients(ir, project, memory)
  const { value, diagnostics } = checked
  if (diagnostics.some(isInternalError)) return { ...checked, read: filesOf(probes) }
  writeCacheText(file, cacheText({ key, probes, plans: value ?? null, diagnostics }))
  return { ...checked, read: filesOf(probes) }
}

/** The files of the project that were asked for; what is installed changes with its records. */
function filesOf(probes: Probes): readonly string[] {
  const files = probes.flatMap(([kind, path]) => (kind === 'read' || kind === 'file' ? [path] : []))
  return [...new Set(files)].filter((path) => !path.includes('/node_modules/'))
}

/** What of a design decides its verdicts. */
function boundPart(ir: DesignIr): unknown {
  const used = new Set(ir.agents.flatMap((agent) => serviceUses(agent).map(({ toolset }) => toolset)))
  return {
    agents: ir.agents.map((agent) => ({ name: agent.name, uses: serviceUses(agent) })),
    toolsets: ir.toolsets
      .filter(({ name }) => used.has(name))
      .map(({ name, defs, tools }) => ({
        name,
        defs,
        tools: tools.map(({ id, payload, result, updates }) => ({ id, payload, result, updates })),
      })),
  }
}

/** Binds every tool of every use by the types of the clients; what is remembered is not looked up again. */
async function bindClients(
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
  const { as, client, location } = use
  const { defs } = toolset
  const shared = `${JSON.stringify([as, client])}${jsonText(defs)}`
  const tools = use.tools.map((bound): ToolOfUse => {
    const tool = toolset.tools.find(({ name }) => name === bound.tool)
    if (tool === undefined) throw new Error(`There is no tool '${use.toolset}.${bound.tool}' in the design.`)
    return { tool, bound, defs, key: `${shared}${JSON.stringify(bound)}${jsonText(tool)}` }
  })
  return { use, agent, key: JSON.stringify([agent.name, as, client, location]), tools }
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
    location: node === undefined ? use.location : locationAt(node.file, node.start, root),
    next: clientSteps[code],
    ...(near?.length ? { near } : {}),
    ...(node === undefined
      ? {}
      : { related: [{ message: `${name}: Its client's type is read here.`, location: use.location }] }),
  }
}

const clientSteps: Readonly<Record<ClientFault['code'], string>> = {
  TG4001: 'Export the client from its module: `export const ordersClient = serviceClient<OrdersClient>()`.',
  TG4002: 'Correct the import or install the package; until then the client type would be read as any.',
  TG4003: 'Make the client type resolve in your project: install the package or its types.',
  TG4004: 'Give the type of your client: `serviceClient<OrdersClient>()`.',
}

/** What earlier runs of this process read of the clients, and what they found; absent: nothing. */
export interface ServiceMemory {
  clients?: ReadClients
}

/** Client modules as they were read, and what was found with them. */
interface ReadClients {
  readonly request: ProgramRequest
  readonly project: OpenProject
  /** What is wrong with the client of a use; nothing where its type was found. */
  readonly faults: KeyedResults<readonly Diagnostic[]>
  readonly plans: KeyedResults<BoundToolPlan>
}

/** The clients of a project: as they are remembered where every question to the file system has the same answer today. */
async function readClients(request: ProgramRequest, memory: ServiceMemory): Promise<ReadClients | UnopenedProject> {
  const known = memory.clients
  if (known !== undefined && isSame(known.request, request) && areTrue(known.project.probes())) return known
  delete memory.clients
  const project = await openProject(request)
  if ('fault' in project) return project
  memory.clients = { request, project, faults: new KeyedResults(), plans: new KeyedResults() }
  return memory.clients
}

function isSame(known: ProgramRequest, request: ProgramRequest): boolean {
  const parts = (one: ProgramRequest): string => JSON.stringify([one.root, tsconfigOf(one) ?? '', one.modules])
  return parts(known) === parts(request)
}

function areTrue(probes: Probes): boolean {
  return probes.every(([kind, path, answer]) => probeDisk(kind, path) === answer)
}

/** The folders whose code decides the verdicts, relative to this one. */
const deciding: readonly string[] = ['.', '../schema', '../diagnostics']

/**
 * A hash over the code that decides the verdicts and the path of the compiler that reads the types (a package's path
 * holds its version or its package.json does): what an earlier version of either found is never used.
 */
function generatorIdentity(): string {
  const hash = createHash('sha256')
  const here = fileURLToPath(new URL('.', import.meta.url))
  for (const folder of deciding) {
    const files = readdirSync(join(here, folder), { encoding: 'utf8', recursive: true }).filter(
      (file) => /\.[jt]s$/.test(file) && !file.includes('.test'),
    )
    for (const file of files.sort()) hash.update(file).update(readFileSync(join(here, folder, file)))
  }
  const textModule = fileURLToPath(import.meta.url).replace(/services\Wbind-services(?=\.[jt]s$)/, 'text')
  hash.update(readFileSync(textModule))
  const compiler = createRequire(import.meta.url).resolve('ts-morph')
  hash.update(compiler).update(readFileSync(join(compiler, '../../package.json')))
  return hash.digest('hex')
}
