import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix, resolve } from 'node:path'
import { defined } from '../../defined.js'
import { type Checked, type Diagnostic, errorAt } from '../../diagnostics/diagnostic.js'
import {
  type Disk,
  diskErrorText,
  foldersUpFrom,
  isDiskError,
  isFile,
  nodeDisk,
  ownPath,
  relativePath,
} from '../../files.js'
import { headersNeedUrl, type OriginHeaders, readHeaders, secretIn } from '../../imports/origin.js'
import { fetchDocument, isAddress, readSource } from '../../imports/sources.js'
import type { EmittedFile } from '../../output/files.js'
import { doAll, missingFolders } from '../../output/publish.js'
import { printable, shellWord } from '../../text.js'
import { type CommandContext, type CommonOptions, type SourceKind, sourceKinds, urlIn, wrongUsage } from '../context.js'
import { type ExitCode, ownVersion, shownPath, templateText } from '../format.js'
import { type Ask, questions, type Style } from '../terminal.js'
import {
  findPnpmWorkspace,
  isExampleName,
  type Needed,
  type PnpmWorkspace,
  type ProjectSource,
  projectFiles,
  projectNames,
} from './init-files.js'

export interface InitOptions {
  readonly from?: SourceKind
  readonly document?: string
  /** Command line that starts an MCP server, or the URL of a server. */
  readonly server: readonly string[]
  readonly url?: string
  readonly header?: readonly string[]
  readonly dir: string
  readonly toolset?: string
  readonly agent?: string
  readonly design: string
  readonly output: string
  readonly yes?: boolean
  /** Absent if a program calls `run` as a function. */
  readonly program?: { readonly rawArgs: readonly string[] }
}

/** Never overwrites existing files. */
export async function run(options: CommonOptions & InitOptions, context: CommandContext): Promise<ExitCode> {
  const root = resolve(context.cwd, options.dir)
  const nothing = { written: [], kept: [] }
  const fail = (diagnostics: readonly Diagnostic[]): ExitCode => context.report(diagnostics, { root, facts: nothing })
  const cancel = (): ExitCode => context.report([], { root, facts: nothing, summary: 'Nothing was written.' })
  const { value: headers, diagnostics: wrongHeaders } = readHeaders(options.header)
  const misplaced = [...wrongHeaders, ...misplacedArguments(options, headers)]
  if (misplaced.length > 0) return fail(misplaced)
  const { ask, close } = questions(context, options.yes !== true)
  try {
    if (ask !== undefined && isFile(join(root, 'toolgen.config.ts'))) {
      return fail([wouldOverwrite(['toolgen.config.ts'], 'service', true)])
    }
    const chosen = await chooseSource(options, context, ask)
    if (chosen === undefined) return cancel()
    const { value: source, diagnostics } = await sourceFrom(root, chosen, context.cwd)
    if (source === undefined) return fail(diagnostics)
    const texts = sourceTexts()[source.kind]
    const toolset = options.toolset ?? texts.toolsets[source.own === undefined ? 0 : 1] ?? ''
    const names = { toolset, agent: options.agent ?? texts.agent ?? toolset }
    const wrong = wrongNames({ ...options, ...names }, texts)
    if (wrong.length > 0) return fail(wrong)
    const folders = { designFolder: plainFolder(options.design), outputFolder: plainFolder(options.output) }
    const pnpm = findPnpmWorkspace(root, ownPath(''))
    const range = pnpm?.hasToolgen === true ? 'workspace:*' : `^${ownVersion()}`
    const all = projectFiles({ ...source, ...defined({ headers }) }, projectNames({ ...names, ...folders }), range)
    const existing = existingPaths(root, all)
    const kept = existing.filter((path) => keptFiles.includes(path))
    const inTheWay = existing.filter((path) => !keptFiles.includes(path))
    const outputKind = nodeDisk.kind(join(root, folders.outputFolder))
    if (outputKind !== undefined && outputKind !== 'folder') inTheWay.push(folders.outputFolder)
    if (inTheWay.length > 0) return fail([wouldOverwrite(inTheWay, source.kind, existing.length === all.length)])
    const manifest = readManifest(root)
    const files = all.filter((file) => !kept.includes(file.path))
    if (ask !== undefined) {
      context.terminal.note(files.map((file) => `  ${file.path}\n`).join(''))
      if (!/^(y|yes)?$/i.test((await ask(`Write these files to ${printable(root)}? [Y/n] `)) ?? 'no')) return cancel()
    }
    writeNewFiles(nodeDisk, root, files)
    const written = files.map(({ path }) => path)
    const needed = neededBy(all)
    const outcome = { root, written, kept, needed, pnpm, manifest, origin: originOf(ownPath(''), root) }
    const summary = initSummary(outcome, context.terminal.noteStyle)
    return context.report([], { root, facts: { written, kept }, summary })
  } catch (error) {
    if (!isDiskError(error)) throw error
    const message = `Cannot write the files: ${diskErrorText(error)}. Nothing was changed.`
    const next = 'Make the folder writable, or choose another --dir.'
    return context.report([errorAt(undefined, 'TG0006', message, next)], { root })
  } finally {
    close()
  }
}

/** The first name in `toolsets` is for an example project. The second name is for the user's own source. */
interface SourceText {
  readonly text: string
  readonly question?: string
  readonly toolsets: readonly string[]
  /** Absent if the import command writes an agent with the name of the toolset. */
  readonly agent?: string
  readonly taken: string
}

function sourceTexts(): Readonly<Record<SourceKind, SourceText>> {
  return JSON.parse(templateText('init/sources.json', {}))
}

async function chooseSource(
  { from, document, server, url }: InitOptions,
  { terminal }: CommandContext,
  ask: Ask | undefined,
): Promise<ProjectSource | undefined> {
  const given = [url ?? document ?? server].flat()
  if (from !== undefined || ask === undefined) {
    return { kind: from ?? 'service', ...(given.length > 0 && { own: given }) }
  }
  const texts = sourceTexts()
  const list = sourceKinds.map((kind, index) => `  ${index + 1}  ${texts[kind].text}\n`).join('')
  terminal.note(`Start from\n${list}`)
  for (;;) {
    const answer = await ask('Number [1]: ')
    if (answer === undefined) return undefined
    const kind = sourceKinds.find((each, index) => [each, String(index + 1)].includes(answer || '1'))
    if (kind === undefined) {
      terminal.note(`'${printable(answer)}' is not a number from 1 to ${sourceKinds.length}.\n`)
      continue
    }
    const { question } = texts[kind]
    const text = question === undefined ? '' : await ask(question)
    if (text === undefined) return undefined
    const words = kind === 'openapi' ? [text] : (text.match(/"[^"]*"|'[^']*'|\S+/g) ?? [])
    return { kind, ...(text !== '' && { own: words.map((word) => word.replace(/^(["'])(.*)\1$/, '$2')) }) }
  }
}

function misplacedArguments(
  { from, document, server, url, program }: InitOptions,
  headers: OriginHeaders | undefined,
): readonly Diagnostic[] {
  const words = server.map(shellWord).join(' ')
  if (url !== undefined && (from !== 'mcp' || words !== '')) {
    const message = words === '' ? 'Only `--from mcp` takes `--url`.' : 'Use either --url or a command, not both.'
    return [wrongUsage(message, `Write \`--from mcp --url ${shellWord(url)}\`.`)]
  }
  if (headers !== undefined && (from !== 'mcp' || (url ?? urlIn(server)) === undefined)) return [headersNeedUrl()]
  if (from === 'mcp' && words !== '' && urlIn(server) === undefined && program?.rawArgs.includes('--') === false) {
    const message =
      '`--` is missing before the command of the server, so `toolgen init` read the options of the command as its own.'
    return [
      wrongUsage(
        message,
        `Write the command of the server, with all its options, after \`--\`: \`--from mcp -- ${words}\`.`,
      ),
    ]
  }
  const mcp = `Write \`--from mcp -- ${words}\` if this command starts an MCP server`
  const other = server.length === 1 ? `${mcp}, or \`--dir ${words}\` for a folder.` : `${mcp}.`
  const next = from === 'module' ? importInstead(words) : other
  if (words !== '' && from !== 'mcp') return [wrongUsage(`Only \`--from mcp\` takes a command: \`${words}\`.`, next)]
  if (document === undefined || from === 'openapi') return []
  const write = `Write \`--from openapi --document ${shellWord(document)}\`.`
  return [wrongUsage('Only `--from openapi` takes `--document`.', write)]
}

function importInstead(file: string): string {
  return `Import your tools into the existing project: \`toolgen import module NAME ${file}\`.`
}

async function sourceFrom(root: string, source: ProjectSource, cwd: string): Promise<Checked<ProjectSource>> {
  const { kind, own: words = [] } = source
  const [document] = words
  if (document === undefined) return { value: source, diagnostics: [] }
  const url = kind === 'openapi' ? document : urlIn(words)
  const secret = secretIn(url === undefined ? { command: words } : { url })
  if (secret !== undefined) {
    const message = `\`${secret}\` in the source of the tools looks like a secret. The files of the project would contain it.`
    const next = `Set an environment variable to the secret, and write a reference to it in single quotes, for example \`'\${SECRET}'\`.`
    return { diagnostics: [errorAt(undefined, 'TG6007', message, next)] }
  }
  if (kind !== 'openapi') return { value: source, diagnostics: [] }
  const file = resolve(cwd, document)
  if (!isAddress(document) && !isFile(file)) {
    const next = 'Correct the path, or pass an `https:` URL.'
    return { diagnostics: [wrongUsage(`The document \`${document}\` does not exist.`, next)] }
  }
  const { value: read, diagnostics } = await (isAddress(document) ? fetchDocument(document) : readSource(document, cwd))
  // The import reports an address that cannot be reached now.
  if (read === undefined) return isAddress(document) ? { value: source, diagnostics: [] } : { diagnostics }
  const { namesApi } = await import('../../imports/openapi.js')
  const own = [isAddress(document) ? document : relativePath(root, file)]
  return { value: { ...source, own, isAddressUnknown: !(await namesApi(read, document)) }, diagnostics: [] }
}

const keptFiles: readonly string[] = ['package.json', 'tsconfig.json', '.gitignore']

export function neededBy(files: readonly EmittedFile[]): Needed {
  const { scripts, dependencies, devDependencies } = JSON.parse(
    files.find(({ path }) => path === 'package.json')?.text ?? '{}',
  )
  return { dependencies, devDependencies, importCommand: scripts.import }
}

const examples = { toolset: 'tickets', agent: 'support', design: 'src/design', output: 'src/gen' } as const

function wrongNames(
  options: Readonly<Record<'toolset' | 'agent' | 'design' | 'output', string>>,
  { agent, taken }: SourceText,
): readonly Diagnostic[] {
  const [design, output] = [plainFolder(options.design), plainFolder(options.output)]
  const wrong: Diagnostic[] = []
  for (const option of ['toolset', 'agent'] as const) {
    if (isExampleName(options[option], taken)) continue
    const next = `Choose a name such as \`${examples[option]}\`: a lowercase letter, then letters and digits.`
    wrong.push(wrongUsage(`--${option} '${options[option]}' is not a valid constant name.`, next))
  }
  for (const option of ['design', 'output'] as const) {
    const folder = plainFolder(options[option])
    if (/^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/.test(folder) && !folder.split('/').includes('node_modules')) continue
    const next = `Choose a path below the project such as \`${examples[option]}\`: names of letters, digits, \`_\` and \`-\`, separated by \`/\`, without \`node_modules\`.`
    wrong.push(wrongUsage(`--${option} '${options[option]}' is not a valid folder.`, next))
  }
  const isSame = [options.toolset, `${options.toolset}Client`].includes(options.agent)
  if (wrong.length === 0 && isSame && agent !== undefined) {
    wrong.push(wrongUsage('--toolset and --agent result in the same constant name.', 'Choose different names.'))
  } else if (wrong.length === 0 && !isSame && agent === undefined) {
    wrong.push(
      wrongUsage(
        'The import gives the agent the name of the toolset, so `--agent` has no effect.',
        'Set `--toolset` instead of `--agent`.',
      ),
    )
  }
  if (`${design}/`.startsWith(`${output}/`)) {
    wrong.push(wrongUsage('The design folder is inside the output folder.', 'Choose another --output folder.'))
  }
  if (design === 'src') {
    const message = 'The design and the example program would be in the same folder, src.'
    wrong.push(wrongUsage(message, 'Choose --design src/design.'))
  }
  return wrong
}

function plainFolder(folder: string): string {
  return folder.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/+$/, '')
}

function wouldOverwrite(paths: readonly string[], kind: SourceKind, isComplete: boolean): Diagnostic {
  const message = `${paths.length === 1 ? 'A file exists already' : `${paths.length} files exist already`}; nothing was written.`
  const other = 'Choose another --dir, --toolset, --agent or --design, or move the files.'
  const next = isComplete
    ? 'The project exists already: continue in it, or choose another --dir for a new one.'
    : kind === 'module' && paths.includes('src/tools.ts')
      ? `${importInstead('src/tools.ts')} Or choose another --dir.`
      : other
  return errorAt(undefined, 'TG0002', message, next, { related: paths.map((path) => ({ message: path })) })
}

function existingPaths(root: string, files: readonly EmittedFile[]): string[] {
  return files.map(({ path }) => path).filter((path) => nodeDisk.kind(join(root, path)) !== undefined)
}

/** If one write fails, removes all new files and folders, and throws the error. */
export function writeNewFiles(disk: Disk, root: string, files: readonly EmittedFile[]): void {
  const undo: (() => void)[] = []
  try {
    for (const { path, text } of files) {
      const target = join(root, path).replaceAll('\\', '/')
      for (const folder of missingFolders(disk, dirname(target))) {
        disk.makeFolder(folder)
        undo.push(() => disk.removeFolder(folder))
      }
      // On a full disk, the file may exist without its content.
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

export interface NewProject {
  readonly root: string
  readonly kept: readonly string[]
  readonly needed: Needed
  readonly pnpm: PnpmWorkspace | undefined
  readonly origin: Origin
  readonly manifest: Manifest | undefined
}

interface NextSteps {
  readonly notes: readonly string[]
  readonly command: string
}

export function nextSteps(project: NewProject): NextSteps {
  const { root, kept, pnpm, manifest } = project
  const tool = pnpm === undefined ? 'npm' : 'pnpm'
  const { notes, commands } = installing(project, tool)
  const run = tool === 'npm' ? 'npx' : 'pnpm exec'
  const program = kept.includes('tsconfig.json') ? compiledProgram(compilerOptions(root)) : 'dist/src/main.js'
  const compiled = [`${run} tsc`, ...(program === undefined ? [] : [`node ${shellWord(program)}`])]
  const { importCommand } = project.needed
  const start = kept.includes('package.json')
    ? [...(importCommand === undefined ? [] : [`${run} ${importCommand}`]), `${run} toolgen generate`, ...compiled]
    : [...(importCommand === undefined ? [] : [`${tool} run import`]), `${tool} start`]
  const enter = shownPath(root, '.') === '.' ? [] : [`cd ${shellWord(shownPath(root, '.'))}`]
  const before: string[] = []
  if (pnpm?.hasToolgen === true && !pnpm.hasProject) {
    const entry = relativePath(dirname(pnpm.file), root)
    before.push(`First add '${entry}' to \`packages\` in ${shownPath(pnpm.file, '.')}.`)
  }
  // Generated code and its imports are ES modules.
  const isScript = kept.includes('package.json') && manifest?.isModule === false
  if (isScript) {
    before.push(
      'The command changes this package to ES modules. Add `.js` to relative imports in your code. To avoid that, choose a --dir with its own package.',
    )
  }
  const convert = isScript ? [`${tool} pkg set type=module`] : []
  return { notes: [...before, ...notes], command: [...enter, ...convert, ...commands, ...start].join(' && ') }
}

function installing(
  { root, kept, needed, pnpm, origin, manifest }: NewProject,
  tool: string,
): { readonly notes: readonly string[]; readonly commands: readonly string[] } {
  const isUnpublished = pnpm?.hasToolgen !== true && origin.kind !== 'registry'
  const add = `${tool} ${tool === 'npm' ? 'install' : 'add'}`
  const addMissing = (command: string, packages: Readonly<Record<string, string>>): readonly string[] => {
    if (!kept.includes('package.json')) return []
    const missing = Object.entries(packages).filter(
      ([name]) => manifest?.ranges[name] === undefined && !(isUnpublished && name.startsWith('@toolgen/')),
    )
    const words = missing.map(([name, range]) => shellWord(`${name}@${shortRange(range)}`))
    return words.length === 0 ? [] : [`${command} ${words.join(' ')}`]
  }
  const added = [...addMissing(add, needed.dependencies), ...addMissing(`${add} --save-dev`, needed.devDependencies)]
  const names = Object.keys({ ...needed.dependencies, ...needed.devDependencies })
  const absent = names.filter((name) => !isInstalled(name, root))
  const ours = absent.filter((name) => name.startsWith('@toolgen/'))
  if (origin.kind === 'registry' || !isUnpublished || ours.length === 0) {
    return { notes: [], commands: added.length === 0 && absent.length > 0 ? [`${tool} install`] : added }
  }
  if (origin.kind === 'file') {
    const tarballs = origin.tarball === undefined ? undefined : tarballsBeside(origin.tarball, ours)
    if (tarballs === undefined) {
      const note = `Install ${ours.join(' and ')} from package files. The files are in the folder of ${origin.named}.`
      return { notes: [note], commands: added }
    }
    const paths = tarballs.map((path) => shellWord(relativePath(root, path)))
    return { notes: [], commands: [`${add} ${paths.join(' ')}`, ...added] }
  }
  const packed = join(origin.folder, '../packed')
  const commands = [`${add} ${shellWord(relativePath(root, packed))}/tarballs/toolgen-*.tgz`, ...added]
  const codegen = join(packed, `tarballs/toolgen-codegen-${ownVersion()}.tgz`)
  if (existsSync(codegen)) return { notes: [], commands }
  const pack = inFolder(shownPath(origin.folder, '.'), 'npm run packages -- --only pack --keep ../packed')
  const note = `\`${shownPath(codegen, '.')}\` does not exist, and the packages are not in a registry yet. Pack them first, in the clone of toolgen:`
  return { notes: [note, `  ${pack}`], commands }
}

function inFolder(folder: string, command: string): string {
  return folder === '.' ? command : `(cd ${shellWord(folder)} && ${command})`
}

/** `^4.6.7` → `4`, `^0.1.0` → `0.1`. */
function shortRange(range: string): string {
  return /^\^(0\.\d+|[1-9]\d*)/.exec(range)?.[1] ?? range
}

interface InitOutcome extends NewProject {
  readonly written: readonly string[]
}

export function initSummary(outcome: InitOutcome, style: Style): string {
  const { root, written, kept } = outcome
  const { notes, command } = nextSteps(outcome)
  const options = compilerNeeds(outcome)
  const first = options.length === 0 ? '' : `set ${options.join(', ')} in \`compilerOptions\` of tsconfig.json, then `
  return [
    ...written.map((path) => `${style('green', '+')} ${printable(shownPath(root, path))}`),
    ...kept.map(
      (path) => `kept: ${printable(shownPath(root, path))}${path === 'package.json' ? needsOfPackage(outcome) : ''}`,
    ),
    '',
    ...[...movedOutput(outcome), ...notes].map(printable),
    `Next: ${first}${style('bold', printable(command))}`,
  ].join('\n')
}

function needsOfPackage({ manifest, needed }: InitOutcome): string {
  if (manifest === undefined) return ', which is not valid JSON: correct it first'
  const missing = Object.entries({ ...needed.dependencies, ...needed.devDependencies })
    .filter(([name]) => manifest.ranges[name] === undefined)
    .map(([name, version]) => `${name} ${version}`)
  const needs = [
    ...(manifest.isModule ? [] : ['"type": "module"']),
    ...(missing.length === 0 ? [] : [`these dependencies: ${missing.join(', ')}`]),
  ]
  return needs.length === 0 ? '' : `; the example needs ${needs.join(' and ')}`
}

/** Without the options of configurations that the file extends. */
interface CompilerOptions {
  readonly isExtended: boolean
  readonly target: string | undefined
  readonly lib: string | undefined
  readonly outDir: string | undefined
  readonly rootDir: string
  readonly isEmitting: boolean
  readonly hasNodeModules: boolean
  readonly hasNodeTypes: boolean
}

function compilerOptions(root: string): CompilerOptions {
  const file = join(root, 'tsconfig.json')
  const commented = isFile(file) ? readFileSync(file, 'utf8') : ''
  const text = commented.replace(/("(?:[^"\\]|\\.)*")|\/\*[\s\S]*?\*\/|\/\/.*/g, '$1')
  const path = (option: string): string | undefined =>
    new RegExp(`"${option}"\\s*:\\s*"(?:\\./)?([^"]*?)/?"`).exec(text)?.[1]
  return {
    isExtended: /"extends"\s*:/.test(text),
    target: /"target"\s*:\s*"([^"]*)"/.exec(text)?.[1],
    lib: /"lib"\s*:\s*\[([^\]]*)\]/.exec(text)?.[1],
    outDir: path('outDir'),
    rootDir: path('rootDir') ?? '.',
    isEmitting: !/"noEmit"\s*:\s*true/.test(text),
    hasNodeModules: /"module"\s*:\s*"node(next|16|18|20)"/i.test(text),
    hasNodeTypes: /"types"\s*:\s*\[[^\]]*"node"/.test(text),
  }
}

function compiledProgram({ isExtended, isEmitting, outDir }: CompilerOptions): string | undefined {
  if (!isEmitting || (isExtended && outDir === undefined)) return undefined
  return posix.join(outDir ?? '.', 'src/main.js')
}

function compilerNeeds({ root, kept }: InitOutcome): readonly string[] {
  if (!kept.includes('tsconfig.json')) return []
  const { isExtended, target, lib, rootDir, hasNodeModules, hasNodeTypes } = compilerOptions(root)
  // The declarations of the runtime and the program use `ErrorOptions`. If `lib` is not set, `target` determines the library.
  const isNew = (version: string): boolean => /^"?es(next|20(2[2-9]|[3-9]\d))"?$/i.test(version.trim())
  const hasLibrary = lib?.split(',').some(isNew) ?? (target === undefined ? !isExtended : isNew(target))
  return [
    ...(hasLibrary ? [] : [lib === undefined ? '`"target": "ES2022"`' : '`"ES2022"` in `"lib"`']),
    ...(hasNodeModules ? [] : ['`"module": "NodeNext"`']),
    ...(hasNodeTypes ? [] : ['`"types": ["node"]`']),
    ...(rootDir === '.' || rootDir === '' ? [] : ['`"rootDir": "."`']),
  ]
}

function movedOutput({ root, kept }: InitOutcome): readonly string[] {
  if (!kept.includes('tsconfig.json')) return []
  const { rootDir, outDir } = compilerOptions(root)
  if (rootDir === '.' || rootDir === '' || outDir === undefined) return []
  const move = `the output of \`${rootDir}\` moves from \`${outDir}\` to \`${posix.join(outDir, rootDir)}\``
  return [`With \`"rootDir": "."\`, ${move}: delete \`${outDir}\`, and change these paths in package.json.`]
}

/** A new project installs the other toolgen packages from the same origin as the running generator. */
type Origin =
  | { readonly kind: 'registry' }
  /**
   * `named` is the version of the generator in the project's package.json, for example `file:../codegen.tgz`. `tarball` is the absolute path of a
   * package file, and `undefined` for a URL.
   */
  | { readonly kind: 'file'; readonly named: string; readonly tarball: string | undefined }
  | { readonly kind: 'sources'; readonly folder: string }

interface Manifest {
  readonly isModule: boolean
  readonly ranges: Readonly<Record<string, string>>
}

export function readManifest(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json')
  try {
    // Reading a pipe would block.
    if (!isFile(file)) return undefined
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const { type, dependencies, devDependencies, peerDependencies } = Object(parsed)
    return { isModule: type === 'module', ranges: { ...peerDependencies, ...devDependencies, ...dependencies } }
  } catch {
    return undefined
  }
}

export function originOf(ownPackage: string, root: string): Origin {
  const [installed, ...inside] = ownPackage.split(/[\\/]node_modules[\\/]/)
  if (installed === undefined || inside.length === 0) return { kind: 'sources', folder: join(ownPackage, '../..') }
  for (const folder of [root, installed]) {
    const named = readManifest(folder)?.ranges['@toolgen/codegen'] ?? ''
    // `named` can be `file:../x.tgz`, `https://...`, `git+ssh://...` or `../x.tgz`. A version range contains no slash.
    if (named.includes('/')) {
      const path = resolve(folder, named.replace(/^file:/, ''))
      return { kind: 'file', named, tarball: path.endsWith('.tgz') && existsSync(path) ? path : undefined }
    }
  }
  return { kind: 'registry' }
}

function tarballsBeside(generator: string, packages: readonly string[]): readonly string[] | undefined {
  const paths = packages.map((name) =>
    join(dirname(generator), basename(generator).replace('codegen', name.replace('@toolgen/', ''))),
  )
  return paths.every((path) => existsSync(path)) ? paths : undefined
}

function isInstalled(name: string, folder: string): boolean {
  return foldersUpFrom(folder).some((parent) => existsSync(join(parent, 'node_modules', name, 'package.json')))
}
