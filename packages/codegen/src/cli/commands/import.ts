import { existsSync, readdirSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import { isFolder, nodeDisk, readText, relativePath } from '../../files.js'
import { agentUse, type ImportKind, importNames, isImported, refusedName } from '../../imports/imported-files.js'
import { type JsonFile, readJsonFile } from '../../imports/json-source.js'
import { type ImportSource, standardInput } from '../../imports/sources.js'
import type { ListChange } from '../../imports/tool-list-changes.js'
import type { ToolsetImport } from '../../imports/toolset-module.js'
import { blockingFiles, writeImport } from '../../imports/write-import.js'
import { printable, shellWord } from '../../text.js'
import type { CommandContext, CommonOptions } from '../context.js'
import { count, type ExitCode, shownPath } from '../format.js'
import { grouped } from '../report.js'

export interface ImportFlags extends CommonOptions {
  readonly force?: boolean
}

export interface ImportRequest extends ImportFlags {
  readonly name: string
  readonly dir: string
}

interface ImportRun {
  readonly root: string
  readonly snapshot: string
  readonly earlier: Extract<JsonFile, { readonly json: unknown }> | undefined
  readonly unread: string | undefined
  refuse(diagnostics: readonly Diagnostic[]): ExitCode
  /** If one write fails, restores the previous content of all files. `from` is the value of `--from` in the command that the report suggests. */
  publish(imported: ToolsetImport, from?: string): Promise<ExitCode>
}

export function startImport(kind: ImportKind, request: ImportRequest, context: CommandContext): ImportRun | ExitCode {
  const { reporter, terminal } = context
  const root = resolve(context.cwd, request.dir)
  const finish = (diagnostics: readonly Diagnostic[], facts: object, summary?: string, from?: string): ExitCode =>
    context.report(reporter === 'pretty' ? grouped(diagnostics) : diagnostics, {
      again: `import ${kind} ${request.name}${from === undefined ? '' : ` --from ${shellWord(from)}`}`,
      facts: { ...facts },
      ...(kind === 'mcp' && { notes: 'full' }),
      ...(summary !== undefined && { summary }),
    })
  const refuse = (diagnostics: readonly Diagnostic[]): ExitCode => finish(diagnostics, { written: [], unchanged: [] })

  const wrong = refusedName(kind, request.name)
  if (wrong !== undefined) return refuse([wrong])
  const { snapshot, names, module } = importNames(kind, request.name)
  const file = readJsonFile(join(root, snapshot))
  const earlier = 'json' in file && isImported(file.text) ? file : undefined
  const publish = async (imported: ToolsetImport, from?: string): Promise<ExitCode> => {
    const found = imported.diagnostics
    if (found.some(({ severity }) => severity === 'error')) return refuse(found)
    const target = { folder: root.replaceAll('\\', '/'), shown: shownPath(root, '') }
    const own = join(root, module)
    // Earlier versions wrote the tools to this module.
    const hasOwn = (existsSync(own) && !isImported(readText(own))) || isModuleMentioned(names, root)
    const files = imported.files.filter(({ isOwn }) => isOwn !== true || !hasOwn)
    const blocking = blockingFiles(nodeDisk, target, files, request.force === true)
    if (blocking.length > 0) return refuse([...found, ...blocking])
    const { diagnostics, ...outcome } = await writeImport(target, files)
    const all = [...found, ...diagnostics]
    if (diagnostics.some(({ severity }) => severity === 'error')) return finish(all, outcome, undefined, from)
    const { tools, described, changes } = imported
    const style = terminal.noteStyle
    const isWritten = outcome.written.length > 0
    const paths = files.map(({ path }) => shownPath(root, path)).join(', ')
    const results = described === tools ? '' : `, ${tools - described} without a result schema`
    const generate = `run ${style('bold', '`npx toolgen generate`')}`
    const use = `add it to an agent with ${style('bold', `\`${agentUse(kind, request.name)}\``)}, then ${generate}`
    const isUsed = kind === 'module' || earlier !== undefined || isModuleMentioned(module, root)
    const register = imported.register === undefined ? '' : `, then register the agent: \`${imported.register}\``
    // The script `import` of a new project is followed by `npm start`, which generates.
    const isScript = isUsed && register === '' && process.env.npm_lifecycle_event === 'import'
    const next = isUsed ? `${generate}${register}` : use
    const summary = [
      `${style('green', isWritten ? 'imported' : 'up to date')}: ${paths}, ${count(tools, 'tool')}${results}`,
      ...changeLines(changes),
      ...(isWritten && !isScript ? [`Next: ${next}.`] : []),
    ]
    return finish(all, { ...outcome, tools, described, changes }, summary.join('\n'), from)
  }
  const unread = 'json' in file || !existsSync(join(root, snapshot)) ? undefined : file.why
  return { root, snapshot: shownPath(root, snapshot), earlier, unread, refuse, publish }
}

function isModuleMentioned(module: string, folder: string): boolean {
  return ["'", '"'].some((quote) => isMentioned(`/${module.replace(/ts$/, 'js')}${quote}`, folder))
}

export function isMentioned(text: string, folder: string): boolean {
  const names = isFolder(folder) ? readdirSync(folder).filter((name) => /\.[cm]?tsx?$/.test(name)) : []
  return names.some((name) => readText(join(folder, name)).includes(text))
}

const changeWords: Readonly<Record<ListChange['kind'], string>> = {
  added: 'new',
  removed: 'removed',
  changed: 'changed',
}

const mostNames = 20

function changeLines(changes: readonly ListChange[]): readonly string[] {
  return (['added', 'removed', 'changed'] as const).flatMap((kind) => {
    const tools = changes.filter((change) => change.kind === kind).map(({ tool }) => printable(tool))
    const more = tools.length > mostNames ? ` and ${tools.length - mostNames} more (--json lists all)` : ''
    return tools.length === 0 ? [] : [`  ${changeWords[kind]}: ${tools.slice(0, mostNames).join(', ')}${more}`]
  })
}

/** Returns `undefined` for a source that other machines may not have, such as standard input or a file outside of the current folder. */
export function sourcePath({ file, text }: ImportSource, from: string, root: string, cwd: string): string | undefined {
  if (from === standardInput || isImported(text) || file.startsWith('../') || isAbsolute(file)) return undefined
  return relativePath(root, resolve(cwd, from))
}
