import { join } from 'node:path'
import type { Checked } from '../diagnostics/diagnostic.js'
import { isInternalError } from '../diagnostics/internal-error.js'
import { serviceUses } from '../ir/service-uses.js'
import type { DesignIr } from '../ir/types.js'
import { bindClients } from './bind-clients.js'
import { cacheKey, cacheText, type Probes, readCache, record } from './cache/cache.js'
import { readCacheText, writeCacheText } from './cache/cache-text.js'
import { generatorIdentity } from './cache/generator-identity.js'
import { probeDisk } from './cache/probed-files.js'
import type { ServicePlans } from './plan/plan.js'
import { tsconfigOf } from './program/open-program.js'
import type { ServiceMemory } from './service-memory.js'

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
