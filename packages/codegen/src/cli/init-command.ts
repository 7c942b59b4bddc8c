import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { type DiskError, inWords, isDiskError, nodeDisk } from '../write/disk.js'
import type { EmittedFile } from '../write/file.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import type { ExitCode } from './exit-code.js'
import { designFiles } from './init/design-files.js'
import { originOf, readManifest } from './init/origin.js'
import { findPnpmWorkspace } from './init/pnpm-workspace.js'
import { programFiles } from './init/program-files.js'
import { isExampleName, projectNames } from './init/project-names.js'
import { exampleDependencies, workspaceFiles } from './init/workspace-files.js'
import { existingFiles, writeNewFiles } from './init/write-new-files.js'
import { initSummary } from './init-summary.js'
import { ownFolder, ownVersion } from './own-version.js'
import { report } from './report.js'

/** What `toolgen init` can be told; everything has a default. */
export interface InitOptions {
  readonly dir: string
  readonly toolset: string
  readonly agent: string
  readonly design: string
  readonly output: string
  readonly yes?: boolean
}

/** Writes a configuration, an example design and a program that uses it; never over files that exist. */
export async function runInit(options: CommonOptions & InitOptions, context: CommandContext): Promise<ExitCode> {
  const root = resolve(context.cwd, options.dir)
  try {
    return await setUp(root, options, context)
  } catch (error) {
    if (!isDiskError(error)) throw error
    return report(reporterOf(options), context.terminal, { command: 'init', root, diagnostics: [refused(error)] })
  }
}

async function setUp(root: string, options: CommonOptions & InitOptions, context: CommandContext): Promise<ExitCode> {
  const finish = (
    diagnostics: readonly Diagnostic[],
    written: readonly string[],
    kept: readonly string[],
    summary?: string,
  ): ExitCode =>
    report(reporterOf(options), context.terminal, {
      command: 'init',
      root,
      diagnostics,
      facts: { written, kept },
      ...(summary !== undefined && { summary }),
    })

  const wrong = wrongOptions(options)
  if (wrong.length > 0) return finish(wrong, [], [])
  const names = projectNames({
    toolset: options.toolset,
    agent: options.agent,
    designFolder: plainFolder(options.design),
    outputFolder: plainFolder(options.output),
  })
  const example = [...designFiles(names), ...programFiles(names)]
  const inTheWay = [
    ...existingFiles(
      root,
      example.map((file) => file.path),
    ),
    ...(isNoFolder(join(root, names.outputFolder)) ? [names.outputFolder] : []),
  ]
  if (inTheWay.length > 0) return finish([wouldOverwrite(inTheWay)], [], [])
  const manifest = readManifest(root)
  const pnpm = findPnpmWorkspace(root, ownFolder())
  const needed = exampleDependencies(pnpm?.hasToolgen === true ? 'workspace:*' : `^${ownVersion()}`)
  const workspace = workspaceFiles(names, needed)
  const kept = existingFiles(
    root,
    workspace.map((file) => file.path),
  )
  const files = [...example, ...workspace.filter((file) => !kept.includes(file.path))]
  if (options.yes !== true && !(await agrees(context, files))) return finish([], [], [], 'Nothing was written.')
  writeNewFiles(nodeDisk, root, files)
  const paths = files.map((file) => file.path)
  const outcome = { root, written: paths, kept, needed, pnpm, manifest, origin: originOf(ownFolder(), root) }
  return finish([], paths, kept, initSummary(outcome, context.terminal.noteStyle))
}

/** Whether something stands there that generated code cannot go into. */
function isNoFolder(path: string): boolean {
  const kind = nodeDisk.kind(path)
  return kind !== undefined && kind !== 'folder'
}

/** What an option could be, for who gave it something else. */
const examples = { toolset: 'tickets', agent: 'support', design: 'src/design', output: 'src/gen' } as const

function wrongOptions(options: InitOptions): readonly Diagnostic[] {
  const names = (['toolset', 'agent'] as const).flatMap((option) =>
    isExampleName(options[option])
      ? []
      : [
          wrongOption(
            `--${option} '${options[option]}' cannot be the name of a constant.`,
            `Choose a word such as \`${examples[option]}\`: a small letter, then letters and digits.`,
          ),
        ],
  )
  const folders = (['design', 'output'] as const).flatMap((option) =>
    /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/.test(plainFolder(options[option])) &&
    !plainFolder(options[option]).split('/').includes('node_modules')
      ? []
      : [
          wrongOption(
            `--${option} '${options[option]}' is not a folder below the project.`,
            `Choose a path such as \`${examples[option]}\`.`,
          ),
        ],
  )
  const same =
    names.length + folders.length === 0 && [options.toolset, `${options.toolset}Client`].includes(options.agent)
      ? [wrongOption('--toolset and --agent would become the same constant.', 'Choose different names.')]
      : []
  const nested = plainFolder(options.design).startsWith(`${plainFolder(options.output)}/`)
  const overlap =
    nested || plainFolder(options.design) === plainFolder(options.output)
      ? [wrongOption('The design lies in the output folder.', 'Choose an --output folder of its own.')]
      : []
  const program =
    plainFolder(options.design) === 'src'
      ? [wrongOption('The design and the example program would share the folder src.', 'Choose --design src/design.')]
      : []
  return [...names, ...folders, ...same, ...overlap, ...program]
}

function refused(error: DiskError): Diagnostic {
  return {
    code: 'TG0006',
    severity: 'error',
    message: `The files cannot be written: ${inWords(error)}. Nothing was changed.`,
    next: 'Make the folder writable, or choose another --dir.',
  }
}

function wrongOption(message: string, next: string): Diagnostic {
  return { code: 'TG0001', severity: 'error', message, next }
}

function plainFolder(folder: string): string {
  return folder.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/+$/, '')
}

function wouldOverwrite(paths: readonly string[]): Diagnostic {
  return {
    code: 'TG0002',
    severity: 'error',
    message: `${paths.length === 1 ? 'A file exists already' : `${paths.length} files exist already`}; nothing was written.`,
    related: paths.map((path) => ({ message: path })),
    next: 'Choose another --dir, --toolset, --agent or --design, or move the files.',
  }
}

/** Asks on a terminal; elsewhere nobody could answer and the command line is taken at its word. */
async function agrees({ input, terminal }: CommandContext, files: readonly EmittedFile[]): Promise<boolean> {
  if (input.isTTY !== true) return true
  terminal.note(`${files.map((file) => `  ${file.path}\n`).join('')}`)
  const reader = createInterface({ input })
  try {
    terminal.note('Write these files? [Y/n] ')
    const answer = await reader.question('')
    return /^(y|yes)?$/i.test(answer.trim())
  } finally {
    reader.close()
  }
}
