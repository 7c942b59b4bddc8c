import type { EmissionMemory } from './emit/emit-design.js'
import { createEmissionMemory } from './emit/emit-design.js'
import type { BuildMemory } from './ir/compile-design.js'
import { createBuildMemory } from './ir/compile-design.js'
import type { DesignMemory } from './load/load-design.js'
import { createDesignMemory } from './load/load-design.js'
import type { ServiceMemory } from './services/service-memory.js'

/** The results that the stages of a project's runs in one process keep for the next run. */
export interface ProjectMemory {
  readonly design: DesignMemory
  readonly toolsets: BuildMemory
  readonly services: ServiceMemory
  readonly texts: EmissionMemory
}

export function createProjectMemory(): ProjectMemory {
  return { design: createDesignMemory(), toolsets: createBuildMemory(), services: {}, texts: createEmissionMemory() }
}
