import { basename, dirname, extname, resolve } from 'node:path'
import { type Diagnostic, errorAt } from '../../diagnostics/diagnostic.js'
import { type PageFormat, pageState } from '../../docs/catalogue.js'
import { docs } from '../../docs.js'
import { diskErrorText, isDiskError, nodeDisk } from '../../files.js'
import type { OutputFolder } from '../../output/files.js'
import { presentText, type WriteFailure, type WrittenFiles, writeFiles } from '../../output/output.js'
import { type CommandContext, type CommonOptions, wrongUsage } from '../context.js'
import { type ExitCode, shownPath } from '../format.js'

export interface DocsCommandOptions extends CommonOptions {
  readonly format?: PageFormat
  readonly output?: string
  readonly force?: boolean
}

export async function run(options: DocsCommandOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd, project, reporter, report } = context
  const file = options.output === undefined || options.output === '-' ? undefined : resolve(cwd, options.output)
  const format = options.format ?? formatOf(file)
  if (format === undefined) {
    const message = `The format of \`${options.output}\` is unknown: a catalogue is Markdown or HTML.`
    const next = 'Use a file name that ends in .md or .html, or set --format.'
    return report([wrongUsage(message, next)], { facts: nothing })
  }
  const { root, diagnostics, text } = await docs({ ...project, format })
  if (text === undefined) return report(diagnostics, { root, facts: { format, ...nothing } })
  if (file === undefined) {
    const exitCode = report(diagnostics, { root, facts: { format, ...nothing, text } })
    if (reporter !== 'json') terminal.out(text)
    return exitCode
  }
  const shown = shownPath(file, '.')
  const { diagnostics: refused, ...outcome } = await writePage(file, text, options.force === true)
  const [written, unchanged] = [outcome.written, outcome.unchanged].map((paths) => paths.map(() => shown))
  const done = outcome.written.length > 0 ? 'written' : 'up to date'
  const summary = `${terminal.noteStyle('green', done)}: ${shown}`
  const isDone = outcome.written.length + outcome.unchanged.length > 0
  const facts = { format, written, unchanged }
  return report([...diagnostics, ...refused], { root, facts, ...(isDone && { summary }) })
}

function formatOf(file: string | undefined): PageFormat | undefined {
  const ending = file === undefined ? '' : extname(file).toLowerCase()
  if (/^\.html?$/.test(ending)) return 'html'
  return ['', '.md', '.markdown', '.mdx'].includes(ending) ? 'markdown' : undefined
}

const nothing: Pick<WrittenFiles, 'written' | 'unchanged'> = { written: [], unchanged: [] }

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
    return await writeFiles(target, [{ path, text }], notWritten)
  } catch (error) {
    if (!isDiskError(error)) throw error
    return refuse(notWritten(target, { error, restored: true }))
  }
}

function wouldOverwrite(path: string, state: 'edited' | 'foreign'): Diagnostic {
  const why =
    state === 'edited' ? 'was changed by hand since `toolgen docs` wrote it' : 'was not written by `toolgen docs`'
  const next = 'Choose another --output, move the existing file, or overwrite it with --force.'
  return errorAt(undefined, 'TG0020', `\`${path}\` ${why}; nothing was written.`, next)
}

function notWritten({ shown }: OutputFolder, { error, restored }: WriteFailure): Diagnostic {
  const what = restored ? 'Nothing was changed.' : 'The previous file could not be restored and may be lost.'
  const message = `Cannot write the catalogue to ${shown}: ${diskErrorText(error)}. ${what}`
  return errorAt(undefined, 'TG0021', message, 'Make the folder writable, or choose another --output.')
}
