import { basename, dirname, extname, resolve } from 'node:path'
import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import { type PageFormat, pageState } from '../../docs/print.js'
import { docs } from '../../docs.js'
import { inWords, isDiskError, nodeDisk } from '../../files.js'
import type { OutputFolder } from '../../output/files.js'
import { presentText, type WriteFailure, type WrittenFiles, writeFiles } from '../../output/output.js'
import { thisRun } from '../../output/turn.js'
import { type CommandContext, type CommonOptions, projectChoice, reporterOf } from '../context.js'
import { type ExitCode, shownPath } from '../format.js'
import { type Findings, report } from '../report.js'

/** What `toolgen docs` can be told. */
export interface DocsCommandOptions extends CommonOptions {
  readonly format?: PageFormat
  /** `-` is standard output. */
  readonly output?: string
  readonly force?: boolean
}

/** Prints a catalogue of the design, or writes it to a file. */
export async function runDocs(options: DocsCommandOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd } = context
  const kind = reporterOf(options)
  const file = options.output === undefined || options.output === '-' ? undefined : resolve(cwd, options.output)
  const format = options.format ?? formatOf(file)
  if (format === undefined) {
    const unclear = unclearFormat(options.output ?? '')
    return report(kind, terminal, { command: 'docs', root: cwd, diagnostics: [unclear], facts: nothing })
  }
  const { root, diagnostics, text } = await docs({ ...projectChoice(options, context), format })
  const finish = (found: readonly Diagnostic[], rest: Pick<Findings, 'facts' | 'summary'>): ExitCode =>
    report(kind, terminal, {
      command: 'docs',
      root,
      diagnostics: found,
      notes: options.verbose === true ? 'full' : 'counted',
      ...rest,
    })

  if (text === undefined) return finish(diagnostics, { facts: { format, ...nothing } })
  if (file === undefined) {
    const exitCode = finish(diagnostics, { facts: { format, ...nothing, text } })
    if (kind !== 'json') terminal.out(text)
    return exitCode
  }
  const shown = shownPath(file, '.')
  const { diagnostics: refused, ...outcome } = await writePage(file, text, options.force === true)
  const facts = { format, written: outcome.written.map(() => shown), unchanged: outcome.unchanged.map(() => shown) }
  const found = [...diagnostics, ...refused]
  if (outcome.written.length + outcome.unchanged.length === 0) return finish(found, { facts })
  const done = outcome.written.length > 0 ? 'written' : 'up to date'
  return finish(found, { facts, summary: `${terminal.noteStyle('green', done)}: ${shown}` })
}

/** What the name of a file says; undefined where it says something else. */
function formatOf(file: string | undefined): PageFormat | undefined {
  const ending = file === undefined ? '' : extname(file).toLowerCase()
  if (/^\.html?$/.test(ending)) return 'html'
  return ['', '.md', '.markdown', '.mdx'].includes(ending) ? 'markdown' : undefined
}

const nothing: Pick<WrittenFiles, 'written' | 'unchanged'> = { written: [], unchanged: [] }

/** Writes the page where nothing stands, or what an earlier run wrote and nobody changed. */
async function writePage(file: string, text: string, force: boolean): Promise<WrittenFiles> {
  const folder = dirname(file).replaceAll('\\', '/')
  const path = basename(file)
  const target: OutputFolder = { folder, shown: shownPath(folder, '.') }
  const refuse = (diagnostic: Diagnostic): WrittenFiles => ({ ...nothing, diagnostics: [diagnostic] })
  try {
    const present = presentText(nodeDisk, folder, path)
    const state = present === undefined ? 'own' : pageState(present)
    const replaceable = force && nodeDisk.kind(`${folder}/${path}`) === 'file'
    if (state !== 'own' && !replaceable) return refuse(wouldOverwrite(shownPath(file, '.'), state))
    return await writeFiles({ disk: nodeDisk, run: thisRun() }, target, [{ path, text }], notWritten)
  } catch (error) {
    if (!isDiskError(error)) throw error
    return refuse(notWritten(target, { error, restored: true }))
  }
}

function unclearFormat(path: string): Diagnostic {
  return {
    code: 'TG0001',
    severity: 'error',
    message: `\`${path}\` does not say what to write: a catalogue is Markdown or HTML.`,
    next: 'Choose a name that ends in .md or .html, or say it with --format.',
  }
}

function wouldOverwrite(path: string, state: 'edited' | 'foreign'): Diagnostic {
  const why =
    state === 'edited' ? 'was changed by hand since `toolgen docs` wrote it' : 'was not written by `toolgen docs`'
  return {
    code: 'TG0020',
    severity: 'error',
    message: `\`${path}\` ${why}; nothing was written.`,
    next: 'Choose another --output, move what stands there, or overwrite a file with --force.',
  }
}

function notWritten({ shown }: OutputFolder, { error, restored }: WriteFailure): Diagnostic {
  const what = restored ? 'Nothing was changed.' : 'That could not be undone; the file may be gone.'
  return {
    code: 'TG0021',
    severity: 'error',
    message: `The catalogue cannot be written to ${shown}: ${inWords(error)}. ${what}`,
    next: 'Make the folder writable, or choose another --output.',
  }
}
