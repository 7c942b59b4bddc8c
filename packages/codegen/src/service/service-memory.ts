import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { KeyedResults } from '../memory/keyed-results.js'
import type { BoundToolPlan } from './bind-tool.js'
import type { Probes } from './cache/cache.js'
import { probeDisk } from './cache/probed-files.js'
import {
  type OpenProject,
  openProject,
  type ProgramRequest,
  tsconfigOf,
  type UnopenedProject,
} from './program/open-program.js'

/** What earlier runs of this process read of the clients, and what they found; absent: nothing. */
export interface ServiceMemory {
  clients?: ReadClients
}

/** Client modules as they were read, and what was found with them. */
export interface ReadClients {
  readonly request: ProgramRequest
  readonly project: OpenProject
  /** What is wrong with the client of a use; nothing where its type was found. */
  readonly faults: KeyedResults<readonly Diagnostic[]>
  readonly plans: KeyedResults<BoundToolPlan>
}

/** The clients of a project: as they are remembered where every question to the file system has the same answer today. */
export async function readClients(
  request: ProgramRequest,
  memory: ServiceMemory,
): Promise<ReadClients | UnopenedProject> {
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
