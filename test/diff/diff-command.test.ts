import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspect } from '../../packages/codegen/src/index.js'
import { lockText } from '../../packages/codegen/src/output/lock.js'
import { createProject, type Project, smallProject } from '../cli/project.fixture.js'

let project: Project
beforeAll(async () => {
  project = createProject({ ...smallProject, 'design/fields.ts': fields('') })
  // The lock that `generate` writes, without the time that reading the client's type takes.
  const { ir } = await inspect({ cwd: project.root })
  if (ir === undefined) throw new Error('The design has errors.')
  project.write({ 'gen/toolgen.lock.json': lockText(ir, []) })
  const git = (...args: readonly string[]): unknown =>
    execFileSync(
      'git',
      ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false', ...args],
      {
        cwd: project.root,
      },
    )
  git('init', '-q', '-b', 'main')
  git('add', 'gen')
  git('commit', '-q', '-m', 'Contracts')
})
afterAll(() => project.remove())

/** The schema of `orderId`, with more rules. */
function fields(rules: string): string {
  return `export const orderId = { type: 'string', minLength: 1, description: 'Order number'${rules} } as const\n`
}

const cassette = `${[
  '{"cassette":1,"recordedAt":"2026-01-01T00:00:00Z"}',
  '{"type":"tool","asked":1,"tool":"orders.getOrder","hash":"x","arguments":"{\\"orderId\\":\\"7\\"}","outcome":{"status":"completed"}}',
  '{"type":"tool","asked":2,"tool":"orders.getOrder","hash":"x","arguments":"{\\"orderId\\":7}","outcome":{"status":"failed"}}',
].join('\n')}\n`

describe('toolgen diff', () => {
  it('finds nothing where nothing changed', () => {
    const ran = project.toolgen('diff')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toBe('no change since HEAD\n')
    expect(ran.stdout).toBe('')
  })

  it('fails where something breaks, and tells what, where, by which rule, and what to do', () => {
    project.write({ 'design/fields.ts': fields(", maxLength: 10, title: 'Number'") })
    const ran = project.toolgen('diff', 'main')
    expect(ran.code).toBe(5)
    expect(ran.stderr).toContain('design/orders.ts:')
    expect(ran.stderr).toContain(
      "TG8101: The payload of 'orders.getOrder' has a changed length and rejects values that were valid before, " +
        'at /properties/orderId: it changed from "1 or more" to "1 to 10". (payload-length-narrowed)',
    )
    expect(ran.stderr).toContain('do: Accept the values of the earlier contract too')
    expect(ran.stderr).toContain('breaking: 1 breaking, 1 visible and 0 safe changes since main')
  })

  it('annotates a pull request', () => {
    const { stderr } = project.toolgen('diff', '--reporter', 'github')
    expect(stderr).toMatch(/^::error file=design\/orders\.ts,line=\d+,col=\d+,title=TG8101::The payload of/m)
  })

  it('annotates what is safe only where all is asked for', () => {
    const helper = smallProject['design/support.ts']?.replaceAll('support', 'helper') ?? ''
    project.write({ 'design/fields.ts': fields(''), 'design/helper.ts': helper })
    const { stderr, code } = project.toolgen('diff', '--reporter', 'github')
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^1 note \(toolgen diff --verbose shows it\)\ncompatible: 0 breaking, 0 visible and 1 safe change /,
      ),
    ])
    expect(project.toolgen('diff', '--reporter', 'github', '--verbose').stderr).toMatch(/^::notice /)
    project.write({ 'design/helper.ts': undefined })
  })

  it('prints all of it as JSON, with the calls that cassettes recorded', () => {
    project.write({ 'design/fields.ts': fields(", pattern: '^A'"), 'test/shop.jsonl': cassette })
    const ran = project.toolgen('diff', 'gen', '--cassettes', 'test/**/*.jsonl', '--json')
    expect(ran.code).toBe(5)
    const { base, counts, changes, recorded } = JSON.parse(ran.stdout)
    expect(base).toEqual({ kind: 'file', shown: 'gen' })
    expect(counts).toEqual({ breaking: 2, possiblyBreaking: 0, visible: 0, safe: 0 })
    // What was refused already when it was recorded says nothing.
    expect(recorded).toEqual({ examples: 0, calls: 1 })
    expect(changes).toMatchObject([
      {
        rule: 'payload-pattern-narrowed',
        certain: true,
        witness: { orderId: expect.stringMatching(/^[^A]/) },
        side: 'arguments',
        pointer: '/properties/orderId',
        after: '^A',
      },
      { rule: 'recorded-call-refused', pointer: '/orderId', location: { file: 'test/shop.jsonl', line: 2 } },
    ])
  })

  it('counts the recorded calls that were tried, refused or not', () => {
    const { stderr } = project.toolgen('diff', 'gen', '--cassettes', 'test/**/*.jsonl')
    expect(stderr).toContain('breaking: 2 breaking, 0 visible and 0 safe changes since gen; 1 recorded call tried\n')
  })

  it('defect 15: an uncertain change is worded as uncertain by every reporter', () => {
    project.write({ 'design/fields.ts': fields(", pattern: '^'") })
    const message =
      "The payload of 'orders.getOrder' has a changed pattern and may reject values that were valid before, at /properties/orderId: " +
      'it was added: "^". The change is uncertain: no value was found that proves it. (payload-pattern-narrowed)'
    const pretty = project.toolgen('diff', 'gen')
    expect(pretty.code).toBe(5)
    expect(pretty.stderr).toContain(`error TG8104: ${message}`)
    expect(pretty.stderr).toContain('do: Compare both schemas by hand. If the change breaks callers: ')
    expect(pretty.stderr).toContain(
      '\npossibly breaking: 0 breaking, 1 possibly breaking, 0 visible and 0 safe changes since gen\n',
    )
    expect(project.toolgen('diff', 'gen', '--reporter', 'github').stderr).toContain(`title=TG8104::${message}`)
    const { counts, changes, diagnostics } = JSON.parse(project.toolgen('diff', 'gen', '--json').stdout)
    expect(counts).toEqual({ breaking: 0, possiblyBreaking: 1, visible: 0, safe: 0 })
    expect(changes).toMatchObject([{ rule: 'payload-pattern-narrowed', certain: false }])
    expect(diagnostics).toMatchObject([{ code: 'TG8104', message }])
  })

  it.each(['', ' ', ':'])('says what is empty where the base is %j', (base) => {
    expect(project.toolgen('diff', base)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is neither a revision nor a lock file[\s\S]*omit the base to compare with `HEAD`/),
    })
  })

  it('leaves the disk alone and exits with 2 where there is nothing to compare with', () => {
    const lock = JSON.parse(project.read('gen/toolgen.lock.json'))
    project.write({
      'newer.json': JSON.stringify({ ...lock, contract: 2 }),
      'corrupt.json': JSON.stringify({ ...lock, toolsets: { orders: { ...lock.toolsets.orders, tools: [] } } }),
      'merge.json': '<<<<<<< HEAD\n',
      'tapes/cut.jsonl': '{"cassette":1}\n{"type":"model"}\n{"type":"tool","tool',
    })
    const before = project.tree()
    const bad = [
      ['TG0031', 'mian'],
      ['TG0033', 'corrupt.json', 'it must have an object at /toolsets/orders/tools'],
      ['TG0033', 'merge.json', 'contains the markers of a merge conflict'],
      ['TG0034', 'newer.json', 'contract version 2'],
      ['TG0035', 'gen', 'No file matches', '--cassettes', 'nowhere/*.jsonl'],
      ['TG0035', 'gen', 'newer.json:1:1 - error TG0035: `newer.json` is not a cassette', '--cassettes', 'newer.json'],
      [
        'TG0035',
        'gen',
        'tapes/cut.jsonl:3:21 - error TG0035: `tapes/cut.jsonl` cannot be read: unexpected end of the text within a string.',
        '--cassettes',
        'tapes/*.jsonl',
      ],
    ] as const
    for (const [code, base, message = '', ...more] of bad) {
      const ran = project.toolgen('diff', base, ...more)
      expect([base, ran.code]).toEqual([base, 2])
      expect(ran.stderr).toContain(`error ${code}`)
      expect(ran.stderr).toContain(message)
    }
    expect(project.tree()).toEqual(before)
  })

  it('tells the errors of a design that cannot be compared', () => {
    project.write({ 'design/fields.ts': fields(', minLenght') })
    expect(project.toolgen('diff').code).toBe(3)
  })
})
