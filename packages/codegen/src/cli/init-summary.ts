import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printable } from '../text/printable.js'
import { type NewProject, nextSteps } from './init-steps.js'
import { shownPath } from './shown-path.js'
import type { Style } from './terminal.js'

/** What `toolgen init` did. Paths are below the root. */
export interface InitOutcome extends NewProject {
  readonly written: readonly string[]
}

/** Which files were written, what those that were kept still need, and which command comes next. */
export function initSummary(outcome: InitOutcome, style: Style): string {
  const { root, written, kept } = outcome
  const { notes, command } = nextSteps(outcome)
  const options = compilerNeeds(outcome)
  const first = options.length === 0 ? '' : `write ${options.join(', ')} in \`compilerOptions\` of tsconfig.json, then `
  return [
    ...written.map((path) => `${style('green', '+')} ${printable(shownPath(root, path))}`),
    ...kept.map((path) => `kept: ${printable(shownPath(root, path))}${needsOf(path, outcome)}`),
    '',
    ...notes.map(printable),
    `Next: ${first}${style('bold', printable(command))}`,
  ].join('\n')
}

function needsOf(path: string, outcome: InitOutcome): string {
  return path === 'package.json' ? needsOfPackage(outcome) : ''
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

/** What a tsconfig that was kept lacks, as far as its text tells: what it extends may say the rest. */
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
