import { join } from 'node:path'
import type { ServiceBindings } from '../service/bind-services.js'
import type { ServiceMemory } from '../service/service-memory.js'
import type { CompiledProject } from './compile-project.js'

/**
 * Binds the tools of a project to their services.
 *
 * @param cacheFolder where verdicts about client types are kept between runs; absent: nowhere
 * @param memory what earlier runs of this process found. Default: nothing
 */
export async function bindProject(
  { config, ir }: CompiledProject,
  cacheFolder: string | undefined,
  memory?: ServiceMemory,
): Promise<ServiceBindings> {
  const { bindServices } = await import('../service/bind-services.js')
  const project = {
    root: config.root,
    ...(config.tsconfig !== undefined && { tsconfig: join(config.root, config.tsconfig) }),
    ...(cacheFolder !== undefined && { cacheFolder }),
  }
  return bindServices(ir, project, memory)
}
