import { join } from 'node:path'
import type { Checked } from '../diagnostics/diagnostic.js'
import type { ServicePlans } from '../service/plan/plan.js'
import type { CompiledProject } from './compile-project.js'

/**
 * Binds the tools of a project to their services.
 *
 * @param cacheFolder where verdicts about client types are kept between runs; absent: nowhere
 */
export async function bindProject(
  { config, ir }: CompiledProject,
  cacheFolder: string | undefined,
): Promise<Checked<ServicePlans>> {
  const { bindServices } = await import('../service/bind-services.js')
  return bindServices(ir, {
    root: config.root,
    ...(config.tsconfig !== undefined && { tsconfig: join(config.root, config.tsconfig) }),
    ...(cacheFolder !== undefined && { cacheFolder }),
  })
}
