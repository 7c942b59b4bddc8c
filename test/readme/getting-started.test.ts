import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nextSteps } from '../../packages/codegen/src/cli/commands/init.js'
import { exampleDependencies } from '../../packages/codegen/src/cli/commands/init-files.js'
import { ownVersion } from '../../packages/codegen/src/cli/format.js'
import { createProject, type Project, type Ran } from '../cli/project.fixture.js'
import { root } from './snippet-project.js'

const page = readFileSync(join(root, 'docs/getting-started.md'), 'utf8')

/** The blocks of the page in their order. */
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)\n```$/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}))

/** What the page runs in the project, with what it says that this prints. The packages are there already. */
const shown = blocks.flatMap(({ language, text }, index) => {
  const printed = blocks[index + 1]
  return language === 'sh' && printed?.language === 'text' ? [{ index, line: text, printed: printed.text }] : []
})

let project: Project
beforeAll(() => {
  project = createProject()
})
afterAll(() => project.remove())

it('the page and the README pack the packages with options that the script has', () => {
  const { stderr } = spawnSync(process.execPath, ['scripts/packages.mjs', '--help'], { cwd: root, encoding: 'utf8' })
  for (const option of ['--only pack', '--keep FOLDER']) expect(stderr).toContain(option)
  for (const text of [page, readFileSync(join(root, 'README.md'), 'utf8')]) {
    expect(text).toContain('npm run packages -- --only pack --keep ../packed')
    expect(text).toContain('node packages/codegen/bin/toolgen.js init --dir ../my-agent --yes')
    expect(text).toContain('npm install ../packed/tarballs/*.tgz')
  }
})

it('the page sets a project up and runs it four times', () => {
  expect(shown.map(({ line }) => line.split(' ')[0])).toEqual(['node', 'npm', 'npm', 'npm', 'npm'])
})

it.each(shown)('the page shows what is printed by $line', ({ index, line, printed }) => {
  for (const { language, text } of blocks.slice(0, index)) if (language === 'ts') write(text)
  expect(withoutTimes(run(line))).toBe(withoutTimes(printed))
})

/** Puts a block where its first line says. */
function write(text: string): void {
  const [head = '', ...lines] = text.split('\n')
  const [, file, where] = /^\/\/ ([\w./-]+)(?:, (.*))?$/.exec(head) ?? []
  const path = `my-agent/${file}`
  const code = `${lines.join('\n')}\n`
  project.write({ [path]: where === undefined ? code : placed(code, where, project.read(path)) })
}

/** A file with code at a place of it, in the words of the page. */
function placed(code: string, where: string, before: string): string {
  const places: Readonly<Record<string, RegExp>> = {
    'at its end': /$/,
    'in `tools`': /(?<=^ {2}tools: \{\n)/m,
    'in the class': /(?=^\}\n$(?![\s\S]))/m,
  }
  const place = places[where]
  if (place?.test(before) !== true) throw new Error(`the page puts code ${where}, which this test does not find`)
  return before.replace(place, () => code)
}

/** What a line of the page prints. */
function run(line: string): string {
  const words =
    line === 'npm start'
      ? startScript()
      : [line.replace(/^node packages\S+ /, 'toolgen ').replace('../my-agent', 'my-agent')]
  return words
    .map((each) => command(each.split(' ')))
    .map(({ stdout, stderr }) => stderr + stdout)
    .join('')
    .trimEnd()
}

function startScript(): readonly string[] {
  return JSON.parse(project.read('my-agent/package.json')).scripts.start.split(' && ')
}

function command([program = '', ...args]: readonly string[]): Ran {
  const cwd = join(project.root, 'my-agent')
  if (program === 'tsc') return project.node([join(root, 'node_modules/typescript-7/bin/tsc'), ...args], {}, cwd)
  if (program === 'node') return project.node(args, {}, cwd)
  if (program !== 'toolgen') throw new Error(`the page runs ${program}, which this test does not know`)
  if (args[0] === 'init') return inClone(project.toolgen(...args))
  const ran = project.toolgen(...args, '--cwd', 'my-agent')
  // Paths are shown from where the command was started, which for the reader is the new project.
  return { ...ran, stderr: ran.stderr.replaceAll('my-agent/', '') }
}

/**
 * What the command prints where the reader starts it: in a clone, beside which the new project and the tarballs lie. Nothing is
 * installed there, as it is beside the project of this test.
 */
function inClone(ran: Ran): Ran {
  const beside = mkdtempSync(join(tmpdir(), 'toolgen-beside-'))
  mkdirSync(join(beside, 'packed/tarballs'), { recursive: true })
  writeFileSync(join(beside, `packed/tarballs/toolgen-codegen-${ownVersion()}.tgz`), '')
  const { notes, command } = nextSteps({
    root: join(beside, 'my-agent'),
    kept: [],
    needed: exampleDependencies('*'),
    pnpm: undefined,
    origin: { kind: 'sources', folder: join(beside, 'clone') },
    manifest: undefined,
  })
  rmSync(beside, { recursive: true })
  const next = [...notes, `Next: ${command.replace(/^cd \S+/, 'cd ../my-agent')}`].join('\n')
  return { ...ran, stderr: ran.stderr.replaceAll('+ my-agent/', '+ ../my-agent/').replace(/^Next: .*$/m, () => next) }
}

function withoutTimes(text: string): string {
  return text.replace(/\((?:\d+ ms|[\d.]+ s)\)/g, '(some time)')
}
