import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { relativePath } from '../evaluate/relative-path.js'
import { shellWord } from '../text/shell-word.js'
import { isInstalled, type Manifest, type Origin, tarballsBeside } from './init/origin.js'
import type { PnpmWorkspace } from './init/pnpm-workspace.js'
import type { Dependencies } from './init/workspace-files.js'
import { ownVersion } from './own-version.js'
import { shownPath } from './shown-path.js'

/** What is there after the files have been written. */
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

/** What to do before the program runs, and the command that does it and runs it. */
export interface NextSteps {
  readonly notes: readonly string[]
  readonly command: string
}

/** The steps from the files of a new project to a program that runs: what is there already needs no installing. */
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
  const isPacked = existsSync(join(packed, `tarballs/toolgen-codegen-${ownVersion()}.tgz`))
  return {
    notes: isPacked
      ? []
      : [
          'Its packages are in no registry yet. Pack them first, in the clone of toolgen:',
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
