import { type Diagnostic, errorAt } from '../../diagnostics/diagnostic.js'
import { isDiskError, relativePath } from '../../files.js'

import type { WatchRun } from '../../watch/watch-project.js'
import { watchProject } from '../../watch/watch-project.js'
import type { CommandContext, GenerateCommandOptions } from '../context.js'
import { reporterOf, wrongUsage } from '../context.js'
import type { ExitCode } from '../format.js'
import { exitCodes } from '../format.js'
import { report } from '../report.js'
import { nextSignal } from '../terminal.js'
import { generateReport } from './generate-report.js'

/** Default time limit of an evaluation, in seconds. */
const defaultTimeLimit = 60

/**
 * Writes the generated code, and again after each change, until SIGINT, SIGTERM or SIGHUP comes; then all is well, whatever
 * the last run found. As JSON each run is one object on a line of its own.
 */
export async function runWatch(options: GenerateCommandOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd } = context
  const kind = reporterOf(options)
  const fail = (diagnostic: Diagnostic): ExitCode =>
    report(kind, terminal, { command: 'generate', root: cwd, diagnostics: [diagnostic], oneLine: true })
  const seconds = options.timeLimit === undefined ? defaultTimeLimit : Number(options.timeLimit)
  const wrong = misusedLimit(options, seconds)
  if (wrong !== undefined) return fail(wrong)
  const ending = new AbortController()
  nextSignal(['SIGINT', 'SIGTERM', 'SIGHUP']).then(() => ending.abort())
  let runs = 0
  const onRun = ({ result, changed, milliseconds }: WatchRun): void => {
    const content = generateReport(result, { milliseconds, options, context })
    const facts = { ...content.facts, changed: changed.map((path) => relativePath(result.root, path)) }
    const summary = `${terminal.noteStyle('dim', clock(new Date()))} ${content.summary}`
    report(kind, terminal, { ...content, facts, summary, oneLine: true })
    runs += 1
    if (runs === 1 && kind !== 'json') terminal.note('watching for changes; Ctrl+C ends it\n')
  }
  const project = { cwd, ...(options.config !== undefined && { config: options.config }) }
  try {
    const force = options.force === true
    await watchProject({ ...project, force, timeLimit: seconds * 1000, signal: ending.signal, onRun })
    return exitCodes.ok
  } catch (error) {
    if (!isDiskError(error)) throw error
    return fail(notWatched(error.message))
  }
}

/** Returns the local time of day, e.g. `09:05:12`. */
function clock(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

function misusedLimit({ watch, timeLimit }: GenerateCommandOptions, seconds: number): Diagnostic | undefined {
  if (watch !== true) return wrongUsage('--time-limit is for --watch.', 'Add --watch, or leave it away.')
  if (seconds > 0 && seconds <= 86_400) return undefined
  return wrongUsage(`--time-limit is \`${timeLimit}\`, which is no number of seconds.`, 'Give a number, e.g. 60.')
}

function notWatched(reason: string): Diagnostic {
  const message = `The operating system does not watch the project's folders: ${reason}.`
  const next = 'Let it watch more folders (on Linux: fs.inotify.max_user_watches), or run `toolgen generate` by hand.'
  return errorAt(undefined, 'TG0018', message, next)
}
