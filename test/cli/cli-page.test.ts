import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exitCodes } from '../../packages/codegen/src/cli/format.js'
import { commandHead, runnableCommands, sharedTable } from './cli-page.js'
import { runInThread } from './command-thread.js'
import { createProject, type Project, plainEnvironment, smallProject, toolgenCommand } from './project.fixture.js'

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
const commands = runnableCommands()

/** What the page runs, in its order, and what it says that this prints. */
const shown = [...page.matchAll(/^```sh\n([\s\S]*?)\n```$(?:\n\n^```(?:text|json)\n([\s\S]*?)\n```$)?/gm)].map(
  ([, lines = '', printed]) => ({ lines, printed }),
)

let project: Project
beforeAll(() => {
  project = createProject(smallProject, ['@toolgen/studio'])
})
afterAll(() => project.remove())

/** What lines of a shell print to both streams, in a project in which `toolgen` is installed; a shell runs what needs one. */
function run(lines: string): string {
  if (/^(?:toolgen [\w ./-]+\n?)+$/.test(lines)) {
    const place = { cwd: project.root, env: plainEnvironment() }
    const printed = lines.split('\n').map((line) => runInThread(line.split(' ').slice(1), place).both)
    return withoutTimes(printed.join('').trimEnd())
  }
  const toolgen = `toolgen() { '${process.execPath}' '${toolgenCommand}' "$@"; }`
  const { stdout } = spawnSync('sh', ['-c', `exec 2>&1\n${toolgen}\n${lines}`], { cwd: project.root, encoding: 'utf8' })
  return withoutTimes(stdout.trimEnd())
}

function withoutTimes(text: string): string {
  return text.replace(/\((?:\d+ ms|[\d.]+ s)\)/g, '(some time)')
}

describe('docs/cli.md', () => {
  it.each([...commands.keys()])('has %s with the arguments and options of the program', (path) => {
    expect(page).toContain(`${commandHead(path, commands)}\n`)
  })

  it('has no command that the program lacks', () => {
    const headings = [...page.matchAll(/^## (toolgen .*)$/gm)].map(([, path]) => path)
    expect(headings).toEqual([...commands.keys()])
  })

  it('has the options that every command takes, and the exit codes', () => {
    expect(page).toContain(`${sharedTable(commands)}\n`)
    expect([...page.matchAll(/^\| (\d) \| /gm)].map(([, code]) => Number(code))).toEqual(Object.values(exitCodes))
  })

  it('shows what something prints', () => {
    expect(shown.filter(({ printed }) => printed !== undefined).length).toBeGreaterThan(5)
  })

  // In the order of the page: each runs on what those before it left.
  it.each(shown.filter(({ printed }) => printed !== undefined))(
    'shows what is printed by $lines',
    ({ lines, printed }) => {
      expect(run(lines)).toBe(withoutTimes(printed ?? ''))
    },
  )
})
