import { type Diagnostic, sortDiagnostics } from '../diagnostics/diagnostic.js'
import { checkLive, type LiveToolset } from '../imports/check-live.js'
import { shownOrigin } from '../imports/origin.js'
import { compileProject, type ProjectOptions } from '../project.js'
import { exitCodeOf } from './format.js'

/** Maximum duration of the requests to a server, in milliseconds. */
const TIME_LIMIT = 30_000

/** Comparison of an imported toolset with its server. */
interface ServerDrift extends LiveToolset {
  /** Command or URL of the server, with references to environment variables. Absent if the snapshot does not record it. */
  readonly server?: string
  readonly diagnostics: readonly Diagnostic[]
}

/** Comparison of the imported toolsets with their MCP servers, for the studio. */
interface DriftReport {
  readonly command: 'drift'
  readonly exitCode: number
  /** Diagnostics of the design and of the snapshots. */
  readonly diagnostics: readonly Diagnostic[]
  readonly servers: readonly ServerDrift[]
}

/** Compares the snapshots of imported toolsets with their MCP servers. Starts the servers, or connects to them. */
export async function drift(project: ProjectOptions): Promise<DriftReport> {
  const { value, diagnostics, root } = await compileProject(project)
  const { servers, diagnostics: ofSnapshots } =
    value === undefined ? { servers: [], diagnostics: [] } : await checkLive(value.loaded, root, 'all', TIME_LIMIT)
  const errors = [...diagnostics, ...ofSnapshots]
  return {
    command: 'drift',
    exitCode: exitCodeOf([...errors, ...servers.flatMap((server) => server.diagnostics)]),
    diagnostics: sortDiagnostics(errors),
    servers: servers.map(({ result, origin, diagnostics: ofServer }) => ({
      ...result,
      ...(origin !== undefined && { server: shownOrigin(origin).slice(1, -1) }),
      diagnostics: ofServer,
    })),
  }
}
