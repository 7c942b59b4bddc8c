import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ts } from 'ts-morph'
import { cacheKey, jsonText, KeyedResults, type Probes, probesHold, readCache, writeCache } from '../cache.js'
import { type Checked, type Diagnostic, internalErrorText, isInternalError } from '../diagnostics/diagnostic.js'
import {
  type AgentIr,
  type DesignIr,
  type Schema,
  type ServiceToolIr,
  type ServiceUseIr,
  serviceUses,
  type ToolIr,
  type ToolsetIr,
} from '../ir/types.js'
import { oldResolutionDiagnostic, tsconfigDiagnostic } from '../load/tsconfig.js'
import { ToolDiagnostics } from './binding-diagnostics.js'
import { type ClientError, findClient, findMethod } from './client.js'
import { nearestNames } from './names.js'
import { record, type ServicePlans, type ToolPlan, type UsePlan } from './plan.js'
import {
  type GeneratedTypes,
  generatedTypes,
  type OpenProgram,
  type OpenProject,
  openProject,
  type ProgramRequest,
  tsconfigOf,
} from './program.js'
import { type Reason, reasons } from './reasons.js'
import { Shapes } from './shapes.js'
import { type Candidate, SignatureChoice } from './signature.js'
import { responseOf } from './signature-parts.js'
import { locationAt, type TypeReader } from './type-reader.js'
import { type GeneratedToolTypes, isGeneric, judgeTool } from './verdicts.js'

/** The project of a design. */
export interface ServiceProject {
  /** The project's root: absolute. The modules of the clients are relative to it. */
  readonly root: string
  /** The user's tsconfig: absolute. Default: `tsconfig.json` of the root if there is one. */
  readonly tsconfig?: string
  /** A folder for verdicts of earlier runs: absolute. Default: nothing is kept. */
  readonly cacheFolder?: string
}

/** The plans of all tools, or the errors that prevent them, and the files that were read. */
export interface ServiceBindings extends Checked<ServicePlans> {
  /** The files outside `node_modules` on which the types of the clients depend, also missing ones: absolute. */
  readonly read: readonly string[]
}

/** The client modules and results of earlier runs of this process; empty at first. */
export interface ServiceMemory {
  clients?: KeptClients
}

/** Client modules as they were read, and the results that were made with them. */
interface KeptClients {
  readonly request: ProgramRequest
  readonly project: OpenProject
  /** The diagnostics about the client of a use; none where its type was found. */
  readonly diagnostics: KeyedResults<readonly Diagnostic[]>
  readonly plans: KeyedResults<BoundToolPlan>
}

/**
 * Decides for every tool of every service use how its payload becomes the arguments of the client's method and how the
 * method's response becomes the tool's result. A tool that no transform can serve asks for a mapper and is a note; a
 * mistake of the design is an error. The compiler is loaded only for verdicts that are not in the cache.
 *
 * @param memory results of earlier runs of this process. Default: none
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
  if (project.cacheFolder === undefined) {
    const { checked, probes } = bindClients(ir, project, memory)
    return { ...checked, read: filesOf(probes) }
  }
  const file = join(project.cacheFolder, 'service-binding.json')
  const key = cacheKey([generatorIdentity(), project.root, tsconfigOf(project) ?? '', JSON.stringify(boundPart(ir))])
  const entry = readCache(file, key)
  if (entry !== undefined) {
    // The key holds the code that wrote the entry, so that the value has the form of today.
    const { plans, diagnostics } = entry.value as { plans: ServicePlans | null; diagnostics: readonly Diagnostic[] }
    const read = filesOf(entry.probes)
    return plans === null ? { diagnostics, read } : { value: withoutPrototypes(plans), diagnostics, read }
  }
  const { checked, probes } = bindClients(ir, project, memory)
  const { value = null, diagnostics } = checked
  if (!diagnostics.some(isInternalError)) {
    writeCache(file, { key, probes, value: { plans: value, diagnostics } })
  }
  return { ...checked, read: filesOf(probes) }
}

/** Returns the files of the project among the probes; installed ones change with the records of the package manager. */
function filesOf(probes: Probes): readonly string[] {
  const files = probes.flatMap(([kind, path]) => (kind === 'read' || kind === 'file' ? [path] : []))
  return [...new Set(files)].filter((path) => !path.includes('/node_modules/'))
}

function withoutPrototypes(plans: ServicePlans): ServicePlans {
  const uses = (of: Readonly<Record<string, UsePlan>>): Readonly<Record<string, UsePlan>> =>
    record(Object.entries(of).map(([as, tools]) => [as, record(Object.entries(tools))]))
  return record(Object.entries(plans).map(([agent, of]) => [agent, uses(of)]))
}

/** Returns the part of a design that decides its verdicts. */
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

/** Binds every tool of every use by the types of the clients; kept results are not made again. */
function bindClients(
  ir: DesignIr,
  { root, tsconfig }: ServiceProject,
  memory: ServiceMemory,
): { readonly checked: Checked<ServicePlans>; readonly probes: Probes } {
  const named = ir.agents.flatMap((agent) => serviceUses(agent).map(({ client }) => client.module))
  const request = { root, modules: [...new Set(named)].sort(), ...(tsconfig !== undefined && { tsconfig }) }
  const same = (one: ProgramRequest): string => JSON.stringify([one.root, tsconfigOf(one) ?? '', one.modules])
  const known = memory.clients
  if (known !== undefined && !(same(known.request) === same(request) && probesHold(known.project.probes()))) {
    delete memory.clients
  }
  if (memory.clients === undefined) {
    const project = openProject(request)
    if ('error' in project) {
      return { checked: { diagnostics: [tsconfigDiagnostic(project.error, root)] }, probes: project.probes() }
    }
    memory.clients = { request, project, diagnostics: new KeyedResults(), plans: new KeyedResults() }
  }
  const { clients } = memory
  return { checked: new DesignBinding(ir, root, clients).bind(), probes: clients.project.probes() }
}

/** A tool of a use, with the key of everything that decides its plan except the files of the clients. */
interface BoundTool extends Pick<ToolBinding, 'tool' | 'bound' | 'defs'> {
  readonly key: string
}

interface BoundUse {
  readonly use: ServiceUseIr
  readonly agent: AgentIr
  readonly tools: readonly BoundTool[]
}

/** The binding of all tools of a design. */
class DesignBinding {
  readonly #ir: DesignIr
  readonly #root: string
  readonly #clients: KeptClients
  readonly #uses: readonly BoundUse[]
  #opened: { readonly program: OpenProgram; readonly types: GeneratedTypes } | undefined = undefined

  constructor(ir: DesignIr, root: string, clients: KeptClients) {
    this.#ir = ir
    this.#root = root
    this.#clients = clients
    const toolsets = new Map(ir.toolsets.map((toolset) => [toolset.name, toolset]))
    this.#uses = ir.agents.flatMap((agent) =>
      serviceUses(agent).map((use) => ({ use, agent, tools: boundTools(use, toolsets.get(use.toolset)) })),
    )
  }

  bind(): Checked<ServicePlans> {
    const { old } = this.#clients.project
    const diagnostics: Diagnostic[] = old === undefined ? [] : [oldResolutionDiagnostic(old, this.#root)]
    const plans = record(
      this.#ir.agents.map((agent) => [
        agent.name,
        record(
          this.#uses.filter((each) => each.agent === agent).map((each) => [each.use.as, this.#use(each, diagnostics)]),
        ),
      ]),
    )
    this.#clients.diagnostics.endRun()
    this.#clients.plans.endRun()
    const failed = diagnostics.some(({ severity }) => severity === 'error')
    return failed ? { diagnostics } : { value: plans, diagnostics }
  }

  /** @param diagnostics grows */
  #use({ use, agent, tools }: BoundUse, diagnostics: Diagnostic[]): UsePlan {
    const key = JSON.stringify([agent.name, use.as, use.client, use.location])
    const ofClient = this.#clients.diagnostics.get(key, () => {
      const client = findClient(use.client, this.#open().program)
      return 'errors' in client ? client.errors.map((error) => clientDiagnostic(error, use, agent, this.#root)) : []
    })
    diagnostics.push(...ofClient)
    if (ofClient.length > 0) return record([])
    return record(
      tools.flatMap((tool) => {
        const { plan, diagnostics: ofTool } = this.#plan(tool, use)
        diagnostics.push(...ofTool)
        return plan === undefined ? [] : [[tool.bound.tool, plan] as const]
      }),
    )
  }

  /** Returns the kept plan of a tool, else a new one. A plan after an internal error is not kept. */
  #plan(tool: BoundTool, use: ServiceUseIr): BoundToolPlan {
    // An error of the program itself is no error of this tool.
    if (!this.#clients.plans.has(tool.key)) this.#open()
    try {
      return this.#clients.plans.get(tool.key, () => bindTool(this.#binding(tool, use)))
    } catch (error) {
      // The error may have left the program with wrong answers.
      if (this.#opened !== undefined) {
        const { types, program } = this.#opened
        this.#opened = { types, program: this.#clients.project.program(types.text, program) }
      }
      return unboundTool(this.#binding(tool, use), error)
    }
  }

  /** Returns the program over the types of the tools without kept plans, made when it is first needed. */
  #open(): { readonly program: OpenProgram; readonly types: GeneratedTypes } {
    if (this.#opened === undefined) {
      const fresh = this.#uses.flatMap(({ tools }) => tools.filter(({ key }) => !this.#clients.plans.has(key)))
      const types = generatedTypes(this.#ir, new Set(fresh.map(({ tool }) => tool.id)))
      this.#opened = { types, program: this.#clients.project.program(types.text) }
    }
    return this.#opened
  }

  #binding({ tool, bound, defs }: BoundTool, { as, client: ref }: ServiceUseIr): ToolBinding {
    const { program, types } = this.#open()
    const client = findClient(ref, program)
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

function boundTools({ toolset: name, as, client, tools }: ServiceUseIr, toolset?: ToolsetIr): readonly BoundTool[] {
  if (toolset === undefined) throw new Error(`There is no toolset '${name}' in the design.`)
  const { defs } = toolset
  const shared = `${JSON.stringify([as, client])}${jsonText(defs)}`
  return tools.map((bound) => {
    const tool = toolset.tools.find((each) => each.name === bound.tool)
    if (tool === undefined) throw new Error(`There is no tool '${name}.${bound.tool}' in the design.`)
    return { tool, bound, defs, key: `${shared}${JSON.stringify(bound)}${jsonText(tool)}` }
  })
}

const clientSteps: Readonly<Record<ClientError['code'], string>> = {
  TG4001: 'Export the client from its module: `export const ordersClient = serviceClient<OrdersClient>()`.',
  TG4002: 'Correct the import or install the package; until then the client type would be read as any.',
  TG4003: 'Make the client type resolve in your project: install the package or its types.',
  TG4004: 'Give the type of your client: `serviceClient<OrdersClient>()`.',
}

function clientDiagnostic(
  { code, message, near, node }: ClientError,
  use: ServiceUseIr,
  agent: AgentIr,
  root: string,
): Diagnostic {
  const name = `\`${agent.name}\`, use of \`${use.as}\``
  const next = clientSteps[code]
  if (node !== undefined) {
    const related = [{ message: `${name}: Its client's type is read here.`, location: use.location }]
    return { code, severity: 'error', message, location: locationAt(node.file, node.start, root), next, related }
  }
  return {
    code,
    severity: 'error',
    message: `${name}: ${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
    location: use.location,
    next,
    ...(near?.length && { near }),
  }
}

/** Generated code can name this number of signatures, counted from the last. */
const nameableSignatures = 8

/** The inputs for binding one tool of a use. */
interface ToolBinding {
  readonly tool: ToolIr
  readonly bound: ServiceToolIr
  /** The agent's name for the toolset. */
  readonly use: string
  /** The definitions of the tool's toolset. */
  readonly defs: Readonly<Record<string, Schema>>
  readonly client: { readonly name: string; readonly type: ts.Type }
  readonly generated: GeneratedToolTypes
  readonly reader: TypeReader
  /** The project's root: absolute. */
  readonly root: string
}

/** The plan of one tool; absent after an error. */
interface BoundToolPlan {
  readonly plan?: ToolPlan
  readonly diagnostics: readonly Diagnostic[]
}

/** Finds the method of a tool, chooses its signature and decides how payload and response are converted. */
function bindTool(binding: ToolBinding): BoundToolPlan {
  const { tool, bound, use, client, reader, root, defs } = binding
  const diagnostics = new ToolDiagnostics(tool.name, use, bound, client.name)
  const failed = (...found: readonly Reason[]): BoundToolPlan => ({
    diagnostics: found.map((reason) => diagnostics.mistake(reason)),
  })
  const found = findMethod(client.type, bound.method, client.name, reader)
  if ('error' in found) {
    const { lacks, ...error } = found.error
    const [declaration] = (lacks?.aliasSymbol ?? lacks?.getSymbol())?.declarations ?? []
    diagnostics.lackingFile = declaration && reader.locationOf(declaration, root).file
    return failed({ ...error, weight: 'hard', part: { of: 'method' } })
  }
  const shapes = new Shapes(defs)
  const unknown = unknownFields(binding, shapes)
  if (unknown.length > 0) return failed(...unknown)

  const { method } = found
  const count = method.signatures.length
  const choice = new SignatureChoice(method, tool, bound, shapes, reader)
  const candidate = choice.best()
  // A signature that a mapped type made has no declaration, whatever its type says.
  const declaration: ts.Declaration | undefined = candidate.signature.getDeclaration()
  diagnostics.declared = declaration && reader.locationOf(declaration, root)
  diagnostics.signature = `signature ${count - candidate.fromLast} of ${count}`
  diagnostics.streams = candidate.update !== undefined
  if (candidate.fromLast >= nameableSignatures) {
    return failed(reasons.hiddenSignature(diagnostics.method, count, nameableSignatures))
  }
  const misplaced = misplacedCollect(binding, candidate)
  if (misplaced !== undefined) return failed(misplaced)
  const { payload, result, update } = judgeTool(candidate, binding.generated, bound.result.checked, reader)
  const fix = result.verdict.verdict === 'mapper' ? choice.fixFor(candidate) : undefined
  const reported = [
    ...diagnostics.of('payload', payload),
    ...(update === undefined ? [] : diagnostics.of('update', update)),
    ...diagnostics.of('result', result, fix),
  ]
  if (reported.some(({ severity }) => severity === 'error')) return { diagnostics: reported }
  const plan: ToolPlan = {
    tool: tool.name,
    method: method.path,
    optional: method.optional,
    signature: { fromLast: candidate.fromLast, of: count, generic: isGeneric(candidate.signature) },
    payload: payload.verdict,
    result: result.verdict,
    ...(update !== undefined && { stream: { collect: bound.collect ?? 'list', update: update.verdict } }),
    thenable: candidate.response.isThenable,
    unwrapData: bound.result.from === 'data',
  }
  return { plan, diagnostics: reported }
}

/**
 * Returns the plan of a tool whose types cannot be compared because of an internal error: mappers of the application
 * make its arguments and its result.
 */
function unboundTool({ tool, bound, use, client, reader }: ToolBinding, error: unknown): BoundToolPlan {
  // A step can fail for the same reason as the comparison.
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
  diagnostics.streams = tool.updates !== undefined && response?.item !== undefined
  const reason = `the types of the method cannot be compared because of a bug in toolgen: ${internalErrorText(error)} (TG4303)`
  const mapper = { verdict: 'mapper', reason } as const
  return {
    plan: {
      tool: tool.name,
      method: method?.path ?? bound.method.split('.'),
      optional: method?.optional ?? [],
      signature: { fromLast: 0, of: method?.signatures.length ?? 1, generic: last !== undefined && isGeneric(last) },
      payload: mapper,
      result: mapper,
      ...(diagnostics.streams && { stream: { collect: bound.collect ?? 'list', update: mapper } }),
      thenable: response?.isThenable ?? false,
      unwrapData: false,
    },
    diagnostics: [diagnostics.uncompared(error)],
  }
}

/** Entries of `rename` for fields that the payload does not have; they would have no effect. */
function unknownFields({ tool, bound }: ToolBinding, shapes: Shapes): readonly Reason[] {
  const payload = shapes.resolve(shapes.read(tool.payload))
  if (payload.kind !== 'object') return []
  const names = payload.fields.map(({ name }) => name)
  const unknown = Object.keys(bound.rename).filter((name) => !names.includes(name))
  return unknown.map((name) => reasons.renamedField(name, nearestNames(name, names)))
}

/** Returns a reason where `collect` would have no effect: the tool or its method does not stream. */
function misplacedCollect({ tool, bound }: ToolBinding, { response }: Candidate): Reason | undefined {
  if (bound.collect === undefined) return undefined
  if (tool.updates === undefined) return reasons.collect('the tool is not declared as streaming')
  return response.item === undefined ? reasons.collect('the method answers once') : undefined
}

/** The folders whose code decides the verdicts, relative to this one. */
const deciding: readonly string[] = ['.', '../schema', '../diagnostics']

/**
 * Returns a hash over the code that decides the verdicts and the path of the compiler that reads the types (a package's
 * path holds its version or its package.json does), so that no verdict of an earlier version of either is used.
 */
function generatorIdentity(): string {
  const hash = createHash('sha256')
  const here = fileURLToPath(new URL('.', import.meta.url))
  const files = deciding.flatMap((folder) =>
    readdirSync(join(here, folder), { encoding: 'utf8', recursive: true })
      .filter((file) => /\.[jt]s$/.test(file) && !file.includes('.test'))
      .map((file) => join(folder, file)),
  )
  files.push(`../text${import.meta.url.slice(-3)}`)
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(here, file)))
  const compiler = createRequire(import.meta.url).resolve('ts-morph')
  hash.update(compiler).update(readFileSync(join(compiler, '../../package.json')))
  return hash.digest('hex')
}
