import { type Diagnostic, sortDiagnostics, warning } from '../diagnostics/diagnostic.js'
import { checkLive, type LiveToolset } from '../imports/check-live.js'
import { shownOrigin } from '../imports/origin.js'
import { compileProject, type ProjectOptions } from '../project.js'
import { count, exitCodeOf } from './format.js'

const TIME_LIMIT = 30_000

const MAX_CHANGES = 200

/** Code of the diagnostic for a change of a server, such as a removed tool or a new prompt. */
const CHANGED = 'TG6010'

interface ServerDrift extends LiveToolset {
  /** Contains references such as `${TOKEN}` instead of the values of environment variables. */
  readonly server?: string
  readonly diagnostics: readonly Diagnostic[]
}

interface DriftReport {
  readonly command: 'drift'
  readonly exitCode: number
  readonly diagnostics: readonly Diagnostic[]
  readonly servers: readonly ServerDrift[]
}

/** The report contains no texts of a server, such as its stderr, because the studio shows the report in a browser. */
export async function drift(project: ProjectOptions): Promise<DriftReport> {
  const { value, diagnostics, root } = await compileProject(project)
  const requests = { timeLimit: TIME_LIMIT, quoteServer: false }
  const { servers, diagnostics: ofSnapshots } =
    value === undefined ? { servers: [], diagnostics: [] } : await checkLive(value.loaded, root, 'all', requests)
  const errors = [...diagnostics, ...ofSnapshots]
  return {
    command: 'drift',
    exitCode: exitCodeOf([...errors, ...servers.flatMap((server) => server.diagnostics)]),
    diagnostics: sortDiagnostics(errors),
    servers: servers.map(({ result, origin, diagnostics: ofServer }) => ({
      ...result,
      changes: result.changes.slice(0, MAX_CHANGES),
      ...(origin !== undefined && { server: shownOrigin(origin).slice(1, -1) }),
      diagnostics: shortened(ofServer),
    })),
  }
}

/** Keeps only the first diagnostic about changes of a server, because the report lists the changes separately. */
function shortened(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const changes = diagnostics.filter(({ code }) => code === CHANGED)
  const more = changes.length - MAX_CHANGES
  const next = 'Run `toolgen check --live` in a terminal for all changes.'
  return [
    ...diagnostics.filter(({ code }) => code !== CHANGED),
    ...changes.slice(0, 1),
    ...(more > 0 ? [warning(CHANGED, `And ${count(more, 'more change')}.`, next)] : []),
  ]
}
