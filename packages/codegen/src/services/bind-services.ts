import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cacheKey, type Probes, readCache, writeCache } from '../cache.js'
import { type Checked, type Diagnostic, isInternalError } from '../diagnostics/diagnostic.js'
import { codeFolder, isFolder } from '../files.js'
import type { DesignIr } from '../ir/types.js'
import { serviceUses } from '../ir/uses.js'
import { oldResolutionDiagnostic, tsconfigDiagnostic } from '../load/tsconfig.js'
import { DesignBinding } from './bind-design.js'
import { locatedDiagnostics, type UseDiagnostics } from './binding-place.js'
import { bindingOptions, boundTool, record, type ServicePlans, type UsePlan } from './plan.js'
import { resolutionDiagnostics, tsconfigOf } from './program.js'
import { openClients, type ServiceMemory } from './service-memory.js'

export interface ServiceProject {
  readonly root: string
  readonly tsconfig?: string
  readonly cacheFolder?: string
}

export interface ServiceBindings extends Checked<ServicePlans> {
  /** Absolute paths outside `node_modules`. Includes missing files that the compiler searched for. */
  readonly read: readonly string[]
}

/**
 * Reports a note if a conversion is not possible: the application must then define a mapper, a function that converts the value. Loads the compiler
 * only if a plan is not cached.
 */
export async function bindServices(
  ir: DesignIr,
  project: ServiceProject,
  memory: ServiceMemory = {},
): Promise<ServiceBindings> {
  if (!ir.agents.some((agent) => serviceUses(agent).length > 0)) {
    const tsconfig = tsconfigOf(project)
    const found = tsconfig === undefined ? { diagnostics: [], read: [] } : resolutionDiagnostics(tsconfig, project.root)
    return { value: record([]), ...found }
  }
  if (project.cacheFolder === undefined) {
    const { bound, probes } = bindClients(ir, project, memory)
    return bindingsOf(bound, ir, probes)
  }
  const file = join(project.cacheFolder, 'service-binding.json')
  const key = cacheKey([generatorIdentity(), project.root, tsconfigOf(project) ?? '', JSON.stringify(boundPart(ir))])
  const entry = readCache(file, key)
  if (entry !== undefined) {
    // The cache key includes a hash of the generator's code, so a cached value always has the current format.
    const { plans, ...found } = entry.value as { plans: ServicePlans | null } & Found
    return bindingsOf({ ...found, ...(plans !== null && { plans: withoutPrototypes(plans) }) }, ir, entry.probes)
  }
  const { bound, probes } = bindClients(ir, project, memory)
  const bindings = bindingsOf(bound, ir, probes)
  if (!bindings.diagnostics.some(isInternalError)) {
    const { plans = null, general, found } = bound
    writeCache(file, { key, probes, value: { plans, general, found } })
  }
  return bindings
}

interface Found {
  readonly general: readonly Diagnostic[]
  readonly found: readonly UseDiagnostics[]
}

interface BoundClients extends Found {
  readonly plans?: ServicePlans
}

function bindingsOf({ plans, general, found }: BoundClients, ir: DesignIr, probes: Probes): ServiceBindings {
  const diagnostics = [...general, ...locatedDiagnostics(found, ir)]
  return { ...(plans !== undefined && { value: plans }), diagnostics, read: filesOf(probes) }
}

function filesOf(probes: Probes): readonly string[] {
  const files = probes.flatMap(([kind, path]) => (kind === 'read' || kind === 'file' ? [path] : []))
  return [...new Set(files)].filter((path) => !path.includes('/node_modules/'))
}

function withoutPrototypes(plans: ServicePlans): ServicePlans {
  const uses = (of: Readonly<Record<string, UsePlan>>): Readonly<Record<string, UsePlan>> =>
    record(Object.entries(of).map(([as, tools]) => [as, record(Object.entries(tools))]))
  return record(Object.entries(plans).map(([agent, of]) => [agent, uses(of)]))
}

function boundPart(ir: DesignIr): unknown {
  const used = new Set(ir.agents.flatMap((agent) => serviceUses(agent).map(({ toolset }) => toolset)))
  return {
    agents: ir.agents.map((agent) => ({
      name: agent.name,
      uses: serviceUses(agent).map(({ toolset, as, client, tools }) => ({
        ...{ toolset, as, client },
        tools: tools.map(bindingOptions),
      })),
    })),
    toolsets: ir.toolsets
      .filter(({ name }) => used.has(name))
      .map(({ name, defs, tools }) => ({ name, defs, tools: tools.map(boundTool) })),
  }
}

function bindClients(
  ir: DesignIr,
  { root, tsconfig }: ServiceProject,
  memory: ServiceMemory,
): { readonly bound: BoundClients; readonly probes: Probes } {
  const named = ir.agents.flatMap((agent) => serviceUses(agent).map(({ client }) => client.module))
  const request = { root, modules: [...new Set(named)].sort(), ...(tsconfig !== undefined && { tsconfig }) }
  const opened = openClients(request, memory)
  if ('error' in opened) {
    return { bound: { general: [tsconfigDiagnostic(opened.error, root)], found: [] }, probes: opened.probes() }
  }
  const { old } = opened.project
  const general = old === undefined ? [] : [oldResolutionDiagnostic(old, root)]
  return { bound: { general, ...new DesignBinding(ir, root, opened).bind() }, probes: opened.project.probes() }
}

/** Folders below `src` whose code affects plans. A change of this code makes all cached plans invalid. */
const deciding: readonly string[] = ['', 'services', 'schema', 'schema/libraries', 'diagnostics']

function generatorIdentity(): string {
  const hash = createHash('sha256')
  // In the bundle, only the first folder exists.
  const folders = deciding.map((folder) => join(codeFolder, folder)).filter(isFolder)
  const files = folders.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
  const code = files.filter((file) => /\.[jt]s$/.test(file) && !/\.(?:test|d)\.ts$/.test(file))
  for (const file of code.sort()) hash.update(file).update(readFileSync(file))
  const compiler = createRequire(import.meta.url).resolve('ts-morph/package.json')
  hash.update(compiler).update(readFileSync(compiler))
  return hash.digest('hex')
}
