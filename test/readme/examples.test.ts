import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const transcriptOf = (example: string): string =>
  readFileSync(join(root, 'examples', example, 'test/transcript.txt'), 'utf8')

/** What `main.ts` of each example prints, without what differs from run to run. */
const outputs: Readonly<Record<string, (stdout: string) => void>> = {
  approval: (stdout) => {
    expect(stdout.match(/^step \d$/gm)).toEqual(['step 1', 'step 2', 'step 3', 'step 4'])
    expect(stdout).toContain('the clerk is asked: Close the account of C-7 for good?\n')
    expect(stdout).toContain('the clerk is asked: Refund 40 € of payment P-1?\n')
    expect(stdout).toContain('Refund payment: failed: The budget for refunds is used up. Offer a voucher instead.\n')
    expect(stdout).toMatch(
      /\nthe run completed \(answered\) after 4 turns and 4 calls\nthe service really did: refunded P-1\n$/,
    )
  },
  'code-mode': (stdout) => {
    const [first, blank, ...lines] = stdout.split('\n')
    expect([first, blank]).toEqual([
      'Replaying invoices.jsonl; set OPENAI_API_KEY or OPENAI_BASE_URL to ask a model.',
      '',
    ])
    expect(lines.join('\n')).toBe(transcriptOf('code-mode'))
  },
  files: (stdout) => expect(stdout.replaceAll(/\/\S*toolgen-files-\w+/g, '/folder')).toBe(transcriptOf('files')),
  orders: (stdout) => {
    expect(stdout.match(/^\d\. .*$/gm)).toHaveLength(8)
    expect(stdout.match(/^ {3}completed after \d+ ms, 1 attempt: /gm)).toHaveLength(4)
    expect(stdout.match(/^ {3}failed: .*$/gm)).toEqual([
      '   failed: invalid_arguments, the planner may correct_call',
      '   failed: unknown_tool, the planner may replan',
      '   failed: rate_limited, the planner may wait',
      '   failed: domain_rejection, the planner may replan',
    ])
    expect(stdout).toMatch(
      /a model is told: Order A-1002 has left the warehouse; offer a return instead\. Try another way\.\n$/,
    )
  },
  research: (stdout) => {
    const [first, blank, ...lines] = stdout.split('\n')
    expect([first, blank]).toEqual([
      'Replaying flicker.jsonl; set OPENAI_API_KEY or OPENAI_BASE_URL to ask a model.',
      '',
    ])
    expect(lines.join('\n')).toBe(transcriptOf('research'))
  },
}

describe('defect 23: main.ts', () => {
  it.each(Object.entries(outputs))('of the example %s runs and prints what it shows', (example, expectOutput) => {
    expect(node(example, join(root, 'node_modules/typescript-7/bin/tsc'), '-b', '.')).toEqual(['', '', 0])
    const [stdout, stderr, status] = node(example, 'dist/src/main.js')
    expect([stderr, status]).toEqual(['', 0])
    expectOutput(String(stdout))
  })

  it('of every other example is run by its own test', () => {
    const examples = readdirSync(join(root, 'examples')).filter((name) => !(name in outputs))
    expect(examples).toEqual(['durable', 'sessions', 'studio'])
    // The studio has no program: `toolgen dev` runs its module.
    for (const name of examples.filter((each) => each !== 'studio')) {
      expect(readFileSync(join(root, `examples/${name}/test/${name}.test.ts`), 'utf8')).toContain('node([MAIN]')
    }
  })
})

/** Runs Node in the folder of an example, without the variables that name a model. */
function node(example: string, ...args: readonly string[]): readonly [string, string, number | null] {
  const { OPENAI_API_KEY: _, OPENAI_BASE_URL: __, ...env } = process.env
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: join(root, 'examples', example),
    env,
    encoding: 'utf8',
  })
  return [stdout, stderr, status]
}
