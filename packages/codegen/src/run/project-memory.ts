import type { EmissionMemory } from '../emit/emission-memory.js'
import { createEmissionMemory } from '../emit/emission-memory.js'
import { type BuildMemory, createBuildMemory } from '../ir/build/compile-design.js'
import { createDesignMemory, type DesignMemory } from '../load/design-memory.js'
import type { ServiceMemory } from '../service/service-memory.js'

/** What the stages of a project's runs in one process keep for the next run, each for itself. */
export interface ProjectMemory {
  readonly design: DesignMemory
  readonly toolsets: BuildMemory
  readonly services: ServiceMemory
  readonly texts: EmissionMemory
}

/** A memory of nothing. */
export function createProjectMemory(): ProjectMemory {
  return { design: createDesignMemory(), toolsets: createBuildMemory(), services: {}, texts: createEmissionMemory() }
}
