import { basename, join } from 'node:path'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { serviceUses } from '../ir/service-uses.js'
import type { AgentIr, DesignIr, ServiceUseIr, ToolsetIr } from '../ir/types.js'
import { bindTool } from './bind-tool.js'
import { cacheKey, cacheText, type Probes, readCache, record } from './cache/cache.js'
import { readCacheText, writeCacheText } from './cache/cache-text.js'
import { generatorIdentity } from './cache/generator-identity.js'
import { probeDisk } from './cache/probed-files.js'
import type { ServicePlans, ToolPlan, UsePlan } from './plan/plan.js'
import { type ClientFault, findClient } from './program/find-client.js'
import { type GeneratedTypes, generatedTypes } from './program/generated-types.js'
import { type OpenProgram, openProgram, tsconfigOf } from './program/open-program.js'
import { placeAt } from './types/source-place.js'

/** Where the design lives. */
export interface ServiceProject {
  /** The project's root: absolute. The modules of the clients are relative to it. */
  readonly root: string
  /** The user's tsconfig: absolute. Default: `tsconfig.json` of the root if there is one. */
  readonly tsconfig?: string
  /** A folder for verdicts of earlier runs: absolute. Default: nothing is kept. */
  readonly cacheFolder?: string
}

/**
 * Decides for every tool of every service use how its payload becomes the arguments of the client's method and how the
 * method's answer becomes the tool's result. What no transform can do asks for a mapper and is a note; what the design
 * says wrongly is an error. The compiler is loaded only when there is something to read that is not in the cache.
 *
 * @returns the plans, absent after an error, and all diagnostics in the order of the design
 * @example
 * const { value: plans, diagnostics } = await bindServices(ir, { root: process.cwd() })
 */
export async function bindServices(ir: DesignIr, project: ServiceProject): Promise<Checked<ServicePlans>> {
  if (!ir.agents.some((agent) => serviceUses(agent).length > 0)) return { value: record([]), diagnostics: [] }
  const file = project.cacheFolder === undefined ? undefined : join(project.cacheFolder, 'service-binding.json')
  if (file === undefined) return (await bindAfresh(ir, project)).checked
  const key = cacheKey([generatorIdentity(), project.root, tsconfigOf(project) ?? '', JSON.stringify(boundPart(ir))])
  const stored = readCacheText(file)
  const cached = stored === undefined ? undefined : readCache(stored, key, probeDisk)
  if (cached !== undefined) return cached
  const { checked, probes } = await bindAfresh(ir, project)
  const { value, diagnostics } = checked
  writeCacheText(file, cacheText({ key, probes, plans: value ?? null, diagnostics }))
  return checked
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

async function bindAfresh(
  ir: DesignIr,
  project: ServiceProject,
): Promise<{ readonly checked: Checked<ServicePlans>; readonly probes: Probes }> {
  const types = generatedTypes(ir)
  const modules = [
    ...new Set(ir.agents.flatMap((agent) => serviceUses(agent).map(({ client }) => client.module))),
  ].sort()
  const program = await openProgram({ ...project, modules, generated: types.text })
  const diagnostics: Diagnostic[] = []
  const toolsets = new Map(ir.toolsets.map((toolset) => [toolset.name, toolset]))
  const plans = record(
    ir.agents.map((agent) => [
      agent.name,
      record(
        serviceUses(agent).map((use) => [
          use.as,
          bindUse(use, { agent, toolsets, types, program, project, diagnostics }),
        ]),
      ),
    ]),
  )
  const failed = diagnostics.some(({ severity }) => severity === 'error')
  return { checked: failed ? { diagnostics } : { value: plans, diagnostics }, probes: program.probes() }
}

interface UseScene {
  readonly agent: AgentIr
  readonly toolsets: ReadonlyMap<string, ToolsetIr>
  readonly types: GeneratedTypes
  readonly program: OpenProgram
  readonly project: ServiceProject
  /** Grows. */
  readonly diagnostics: Diagnostic[]
}

function bindUse(use: ServiceUseIr, scene: UseScene): UsePlan {
  const { program, project, diagnostics, types } = scene
  const toolset = scene.toolsets.get(use.toolset)
  if (toolset === undefined) throw new Error(`There is no toolset '${use.toolset}' in the design.`)
  const client = findClient(use.client, program)
  if ('faults' in client) {
    for (const fault of client.faults) diagnostics.push(clientDiagnostic(fault, use, scene.agent, project.root))
    return record([])
  }
  const plans = use.tools.flatMap((bound): (readonly [string, ToolPlan])[] => {
    const tool = toolset.tools.find(({ name }) => name === bound.tool)
    const names = tool === undefined ? undefined : types.names.get(tool.id)
    if (tool === undefined || names === undefined)
      throw new Error(`There is no tool '${use.toolset}.${bound.tool}' in the design.`)
    const generated = {
      payload: program.generatedType(names.payload),
      result: program.generatedType(names.result),
      ...(names.update === undefined ? {} : { update: program.generatedType(names.update) }),
    }
    const name = use.client.path.at(-1) === 'default' ? basename(use.client.module) : use.client.path.join('.')
    const { reader } = program
    const made = bindTool({
      tool,
      bound,
      use: use.as,
      defs: toolset.defs,
      client: { name, type: client.type },
      generated,
      reader,
      root: project.root,
    })
    diagnostics.push(...made.diagnostics)
    return made.plan === undefined ? [] : [[bound.tool, made.plan]]
  })
  return record(plans)
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
