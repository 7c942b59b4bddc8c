import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type Diagnostic, errorAt } from '../../diagnostics/diagnostic.js'
import { type Disk, type DiskError, diskErrorText, foundAt, isDiskError, nodeDisk, relativePath } from '../../files.js'

import type { EmittedFile } from '../../output/files.js'
import { doAll, missingFolders } from '../../output/publish.js'
import { printable, shellWord } from '../../text.js'
import { type CommandContext, type CommonOptions, wrongUsage } from '../context.js'
import { type ExitCode, ownFolder, ownVersion, shownPath } from '../format.js'
import type { Style } from '../terminal.js'
import { exampleFiles, isExampleName, projectNames } from './init-files.js'
import {
  type Dependencies,
  exampleDependencies,
  findPnpmWorkspace,
  type PnpmWorkspace,
  workspaceFiles,
} from './init-workspace.js'

/** Options of `toolgen init`; everything has a default. */
export interface InitOptions {
  readonly dir: string
  readonly toolset: string
  readonly agent: string
  readonly design: string
  readonly output: string
  readonly yes?: boolean
}

/** Writes a configuration, an example design and a program that uses it; never over files that exist. */
export async function run(options: CommonOptions & InitOptions, context: CommandContext): Promise<ExitCode> {
  const root = resolve(context.cwd, options.dir)
  try {
    return await setUp(root, options, context)
  } catch (error) {
    if (!isDiskError(error)) throw error
    return context.report([refused(error)], { root })
  }
}

async function setUp(root: string, options: CommonOptions & InitOptions, context: CommandContext): Promise<ExitCode> {
  const finish = (
    diagnostics: readonly Diagnostic[],
    written: readonly string[],
    kept: readonly string[],
    summary?: string,
  ): ExitCode =>
    context.report(diagnostics, { root, facts: { written, kept }, ...(summary !== undefined && { summary }) })

  const wrong = wrongOptions(options)
  if (wrong.length > 0) return finish(wrong, [], [])
  const names = projectNames({
    toolset: options.toolset,
    agent: options.agent,
    designFolder: plainFolder(options.design),
    outputFolder: plainFolder(options.output),
  })
  const example = exampleFiles(names)
  const inTheWay = [
    ...existingFiles(
      root,
      example.map((file) => file.path),
    ),
    ...(isNotFolder(join(root, names.outputFolder)) ? [names.outputFolder] : []),
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

/** Checks for something at a path that generated code cannot go into. */
function isNotFolder(path: string): boolean {
  const kind = nodeDisk.kind(path)
  return kind !== undefined && kind !== 'folder'
}

/** Examples of valid options. */
const examples = { toolset: 'tickets', agent: 'support', design: 'src/design', output: 'src/gen' } as const

function wrongOptions(options: InitOptions): readonly Diagnostic[] {
  const names = (['toolset', 'agent'] as const).flatMap((option) =>
    isExampleName(options[option])
      ? []
      : [
          wrongUsage(
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
          wrongUsage(
            `--${option} '${options[option]}' is not a folder below the project.`,
            `Choose a path such as \`${examples[option]}\`.`,
          ),
        ],
  )
  const same =
    names.length + folders.length === 0 && [options.toolset, `${options.toolset}Client`].includes(options.agent)
      ? [wrongUsage('--toolset and --agent would become the same constant.', 'Choose different names.')]
      : []
  const nested = plainFolder(options.design).startsWith(`${plainFolder(options.output)}/`)
  const overlap =
    nested || plainFolder(options.design) === plainFolder(options.output)
      ? [wrongUsage('The design lies in the output folder.', 'Choose an --output folder of its own.')]
      : []
  const program =
    plainFolder(options.design) === 'src'
      ? [wrongUsage('The design and the example program would share the folder src.', 'Choose --design src/design.')]
      : []
  return [...names, ...folders, ...same, ...overlap, ...program]
}

function refused(error: DiskError): Diagnostic {
  const message = `The files cannot be written: ${diskErrorText(error)}. Nothing was changed.`
  return errorAt(undefined, 'TG0006', message, 'Make the folder writable, or choose another --dir.')
}

function plainFolder(folder: string): string {
  return folder.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/+$/, '')
}

function wouldOverwrite(paths: readonly string[]): Diagnostic {
  const message = `${paths.length === 1 ? 'A file exists already' : `${paths.length} files exist already`}; nothing was written.`
  const next = 'Choose another --dir, --toolset, --agent or --design, or move the files.'
  return errorAt(undefined, 'TG0002', message, next, { related: paths.map((path) => ({ message: path })) })
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

/** Those of the paths below a folder at which something stands. */
function existingFiles(root: string, paths: readonly string[]): readonly string[] {
  return paths.filter((path) => nodeDisk.kind(join(root, path)) !== undefined)
}

/** Writes files that do not exist yet, all or none; throws what the disk refuses. */
export function writeNewFiles(disk: Disk, root: string, files: readonly EmittedFile[]): void {
  const undo: (() => void)[] = []
  try {
    for (const { path, text } of files) {
      const target = join(root, path).replaceAll('\\', '/')
      for (const folder of missingFolders(disk, dirname(target))) {
        disk.makeFolder(folder)
        undo.push(() => disk.removeFolder(folder))
      }
      // A full disk makes the file and refuses its content.
      undo.push(() => {
        if (disk.kind(target) !== undefined) disk.removeFile(target)
      })
      disk.write(target, text)
    }
  } catch (error) {
    doAll(undo.toReversed())
    throw error
  }
}

/** A project after the files have been written. */
export interface NewProject {
  /** Absolute. */
  readonly root: string
  /** The files that stood there already and stay as they are. */
  readonly kept: readonly string[]
  readonly needed: Dependencies
  readonly pnpm: PnpmWorkspace | undefined
  readonly origin: Origin
  /** Of the package.json that was kept; undefined also where that is no JSON. */
  readonly manifest: Manifest | undefined
}

/** The steps before the program runs, and the command that does them and runs it. */
interface NextSteps {
  readonly notes: readonly string[]
  readonly command: string
}

/** Returns the steps from the files of a new project to a program that runs: what is there already needs no installing. */
export function nextSteps(project: NewProject): NextSteps {
  const { root, kept, pnpm } = project
  const tool = pnpm === undefined ? 'npm' : 'pnpm'
  const { notes, commands } = installing(project, tool)
  const run = tool === 'npm' ? 'npx' : 'pnpm exec'
  const compiled = kept.includes('tsconfig.json') ? [] : [`${run} tsc`, 'node dist/src/main.js']
  const start = kept.includes('package.json') ? [`${run} toolgen generate`, ...compiled] : [`${tool} start`]
  const enter = shownPath(root, '.') === '.' ? [] : [`cd ${shellWord(shownPath(root, '.'))}`]
  return {
    notes: [...outside(project), ...(isScript(project) ? [scriptNote] : []), ...notes],
    command: [...enter, ...(isScript(project) ? [`${tool} pkg set type=module`] : []), ...commands, ...start].join(
      ' && ',
    ),
  }
}

function outside({ root, pnpm }: NewProject): readonly string[] {
  if (pnpm?.hasToolgen !== true || pnpm.hasProject) return []
  return [`First add '${relativePath(dirname(pnpm.file), root)}' to \`packages\` in ${shownPath(pnpm.file, '.')}.`]
}

/** Generated code and what it imports are ES modules. */
function isScript({ kept, manifest }: NewProject): boolean {
  return kept.includes('package.json') && manifest?.isModule === false
}

const scriptNote =
  'The package becomes one of ES modules; to leave it as it is, take a --dir with a package of its own.'

type Installing = { readonly notes: readonly string[]; readonly commands: readonly string[] }

function installing({ root, kept, needed, pnpm, origin, manifest }: NewProject, tool: string): Installing {
  const own = pnpm?.hasToolgen !== true && origin.kind !== 'registry'
  const isKept = kept.includes('package.json')
  const lacking = (dependencies: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(dependencies).flatMap(([name, range]) => {
      if (own && name.startsWith('@toolgen/')) return []
      return isKept && manifest?.ranges[name] === undefined ? [shellWord(`${name}@${shortRange(range)}`)] : []
    })
  const add = tool === 'npm' ? 'install' : 'add'
  const [shipped, development] = [lacking(needed.dependencies), lacking(needed.devDependencies)]
  const added = [
    ...(shipped.length > 0 ? [`${tool} ${add} ${shipped.join(' ')}`] : []),
    ...(development.length > 0 ? [`${tool} ${add} --save-dev ${development.join(' ')}`] : []),
  ]
  const names = Object.keys({ ...needed.dependencies, ...needed.devDependencies })
  const absent = names.filter((name) => !isInstalled(name, root))
  const ours = absent.filter((name) => name.startsWith('@toolgen/'))
  if (!own || ours.length === 0) {
    return { notes: [], commands: added.length === 0 && absent.length > 0 ? [`${tool} install`] : added }
  }
  if (origin.kind === 'file') {
    const tarballs = origin.tarball === undefined ? undefined : tarballsBeside(origin.tarball, ours)
    if (tarballs !== undefined) {
      const paths = tarballs.map((path) => shellWord(relativePath(root, path)))
      return { notes: [], commands: [`${tool} ${add} ${paths.join(' ')}`, ...added] }
    }
    return {
      notes: [`Install ${ours.join(' and ')} as @toolgen/codegen was: from files beside ${origin.named}.`],
      commands: added,
    }
  }
  const packed = join(origin.folder, '../packed')
  const tarballs = `${shellWord(relativePath(root, packed))}/tarballs/*.tgz`
  const codegen = join(packed, `tarballs/toolgen-codegen-${ownVersion()}.tgz`)
  return {
    notes: existsSync(codegen)
      ? []
      : [
          `There is no \`${shownPath(codegen, '.')}\`, and the packages are in no registry yet. Pack them first, in the clone of toolgen:`,
          `  ${inFolder(shownPath(origin.folder, '.'), 'npm run packages -- --only pack --keep ../packed')}`,
        ],
    commands: [`${tool} ${add} ${tarballs}`, ...added],
  }
}

/** A command line that runs in a folder; the one in which it is typed needs no changing to. */
function inFolder(folder: string, command: string): string {
  return folder === '.' ? command : `(cd ${shellWord(folder)} && ${command})`
}

/** `^4.6.7` as one types it: `4`, and `^0.1.0`: `0.1`. */
function shortRange(range: string): string {
  return /^\^(0\.\d+|[1-9]\d*)/.exec(range)?.[1] ?? range
}

/** The result of `toolgen init`. Paths are below the root. */
interface InitOutcome extends NewProject {
  readonly written: readonly string[]
}

/** Returns the written files, the needs of those that were kept, and the next command. */
export function initSummary(outcome: InitOutcome, style: Style): string {
  const { root, written, kept } = outcome
  const { notes, command } = nextSteps(outcome)
  const options = compilerNeeds(outcome)
  const first = options.length === 0 ? '' : `write ${options.join(', ')} in \`compilerOptions\` of tsconfig.json, then `
  return [
    ...written.map((path) => `${style('green', '+')} ${printable(shownPath(root, path))}`),
    ...kept.map(
      (path) => `kept: ${printable(shownPath(root, path))}${path === 'package.json' ? needsOfPackage(outcome) : ''}`,
    ),
    '',
    ...notes.map(printable),
    `Next: ${first}${style('bold', printable(command))}`,
  ].join('\n')
}

function needsOfPackage({ manifest, needed }: InitOutcome): string {
  if (manifest === undefined) return ', which is no JSON: correct it first'
  const missing = Object.entries({ ...needed.dependencies, ...needed.devDependencies })
    .filter(([name]) => manifest.ranges[name] === undefined)
    .map(([name, version]) => `${name} ${version}`)
  const needs = [
    ...(manifest.isModule ? [] : ['"type": "module"']),
    ...(missing.length === 0 ? [] : [`these dependencies: ${missing.join(', ')}`]),
  ]
  return needs.length === 0 ? '' : `; the example needs ${needs.join(' and ')}`
}

/** Returns the options that a kept tsconfig lacks in its own text; its base may have them. */
function compilerNeeds({ root, kept }: InitOutcome): readonly string[] {
  if (!kept.includes('tsconfig.json')) return []
  const text = readFileSync(join(root, 'tsconfig.json'), 'utf8')
  const [, rootDir = '.'] = /"rootDir"\s*:\s*"(?:\.\/)?([^"]*)"/.exec(text) ?? []
  return [
    ...(/"module"\s*:\s*"node(next|16|18|20)"/i.test(text) ? [] : ['`"module": "NodeNext"`']),
    ...(/"types"\s*:\s*\[[^\]]*"node"/.test(text) ? [] : ['`"types": ["node"]`']),
    ...(rootDir === '.' || rootDir === '' ? [] : ['`"rootDir": "."`']),
  ]
}

/** The origin of the running generator, which decides how a project gets the other packages of its version. */
type Origin =
  /** A registry, which has the others too. */
  | { readonly kind: 'registry' }
  /**
   * A file that a manifest names, with the path of the packed package where it is one: absolute. No registry need have any of
   * the others.
   */
  | { readonly kind: 'file'; readonly named: string; readonly tarball: string | undefined }
  /** Its sources, in a folder: absolute. No registry need have their version. */
  | { readonly kind: 'sources'; readonly folder: string }

/** The parts of a project's package.json that matter for a new project. */
interface Manifest {
  readonly isModule: boolean
  /** The range of each package that it names. */
  readonly ranges: Readonly<Record<string, string>>
}

/** Returns the package.json of a folder; undefined where there is none, or none that can be read. */
export function readManifest(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json')
  try {
    // To read a pipe is to wait for who writes to it.
    if (foundAt(file)?.isFile() !== true) return undefined
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const { type, dependencies, devDependencies, peerDependencies } = Object(parsed)
    return { isModule: type === 'module', ranges: { ...peerDependencies, ...devDependencies, ...dependencies } }
  } catch {
    return undefined
  }
}

/**
 * Returns the origin of the generator: from the manifest of the new project, or of the project in which it is installed.
 *
 * @param ownPackage its folder: absolute, links followed
 * @param root of the new project: absolute
 */
export function originOf(ownPackage: string, root: string): Origin {
  const [installed, ...inside] = ownPackage.split(/[\\/]node_modules[\\/]/)
  if (installed === undefined || inside.length === 0) return { kind: 'sources', folder: join(ownPackage, '../..') }
  for (const folder of [root, installed]) {
    const named = readManifest(folder)?.ranges['@toolgen/codegen'] ?? ''
    // `file:../x.tgz`, `https://...`, `git+ssh://...`, `../x.tgz`: a range of versions has no slash.
    if (named.includes('/')) return { kind: 'file', named, tarball: tarballOf(named, folder) }
  }
  return { kind: 'registry' }
}

function tarballOf(named: string, folder: string): string | undefined {
  const path = resolve(folder, named.replace(/^file:/, ''))
  return path.endsWith('.tgz') && existsSync(path) ? path : undefined
}

/** Returns the tarballs of the packages, as they lie beside that of the generator; undefined where one is missing. */
function tarballsBeside(generator: string, packages: readonly string[]): readonly string[] | undefined {
  const paths = packages.map((name) =>
    join(dirname(generator), basename(generator).replace('codegen', name.replace('@toolgen/', ''))),
  )
  return paths.every((path) => existsSync(path)) ? paths : undefined
}

/** Checks whether a package is found from a folder, as Node looks for it. */
function isInstalled(name: string, folder: string): boolean {
  if (existsSync(join(folder, 'node_modules', name, 'package.json'))) return true
  const above = dirname(folder)
  return above !== folder && isInstalled(name, above)
}
