import { KeyedResults, probesHold } from '../cache.js'
import type { BoundToolPlan } from './bind-tool.js'
import type { BindingDiagnostic } from './binding-place.js'
import { type OpenProject, openProject, type ProgramRequest, tsconfigOf, type UnopenedProject } from './program.js'

export interface ServiceMemory {
  clients?: KeptClients
}

export interface KeptClients {
  readonly request: ProgramRequest
  readonly project: OpenProject
  /** By the agent's toolset. The array is empty if the type of the client was found. */
  readonly diagnostics: KeyedResults<readonly BindingDiagnostic[]>
  readonly plans: KeyedResults<BoundToolPlan>
}

export function openClients(request: ProgramRequest, memory: ServiceMemory): KeptClients | UnopenedProject {
  const same = (one: ProgramRequest): string => JSON.stringify([one.root, tsconfigOf(one) ?? '', one.modules])
  const known = memory.clients
  if (known !== undefined) {
    if (same(known.request) === same(request) && probesHold(known.project.probes())) return known
    delete memory.clients
  }
  const project = openProject(request)
  if ('error' in project) return project
  memory.clients = { request, project, diagnostics: new KeyedResults(), plans: new KeyedResults() }
  return memory.clients
}
