import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { relativePath } from '../evaluate/relative-path.js'
import { printable } from '../text/printable.js'
import type { PnpmWorkspace } from './init/pnpm-workspace.js'
import type { Dependencies } from './init/workspace-files.js'
import { shownPath } from './shown-path.js'
import type { Style } from './terminal.js'

/** What `toolgen init` did. Paths are below the root. */
export interface InitOutcome {
  /** Absolute. */
  readonly root: string
  readonly written: readonly string[]
  /** Files that stood there already and stay as they are. */
  readonly kept: readonly string[]
  readonly needed: Dependencies
  readonly pnpm: PnpmWorkspace | undefined
}

/** Which files were written, what those that were kept still need, and which command comes next. */
export function initSummary({ root, written, kept, needed, pnpm }: InitOutcome, style: Style): string {
  const enter = shownPath(root, '.') === '.' ? '' : `cd ${shownPath(root, '.')} && `
  const outside =
    pnpm?.hasToolgen === true && !pnpm.hasProject
      ? [`First add '${relativePath(dirname(pnpm.file), root)}' to \`packages\` in ${shownPath(pnpm.file, '.')}.`]
      : []
  const tool = pnpm === undefined ? 'npm' : 'pnpm'
  const start = kept.includes('package.json')
    ? `${tool} install && ${tool === 'npm' ? 'npx' : 'pnpm exec'} toolgen generate`
    : `${tool} install && ${tool} start`
  return [
    ...written.map((path) => `${style('green', '+')} ${printable(shownPath(root, path))}`),
    ...kept.map((path) => `kept: ${printable(shownPath(root, path))}${needsOf(path, { root, needed })}`),
    '',
    ...outside,
    `Next: ${style('bold', printable(`${enter}${start}`))}`,
  ].join('\n')
}

function needsOf(path: string, { root, needed }: Pick<InitOutcome, 'root' | 'needed'>): string {
  if (path === 'tsconfig.json') return '; the example needs "module": "NodeNext" and "types": ["node"]'
  if (path !== 'package.json') return ''
  const text = readFileSync(join(root, path), 'utf8')
  const missing = Object.entries({ ...needed.dependencies, ...needed.devDependencies })
    .filter(([name]) => !text.includes(JSON.stringify(name)))
    .map(([name, version]) => `${name} ${version}`)
  return missing.length === 0 ? '' : `; it needs these dependencies: ${missing.join(', ')}`
}
