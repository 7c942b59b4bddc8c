import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../packages/codegen/src/cli/commands/run.js'
import { commandContext } from '../../packages/codegen/src/cli/run-command.js'
import { openTerminal } from '../../packages/codegen/src/cli/terminal.js'
import { createProject, type Project, type Ran, toolgenCommand } from './project.fixture.js'

/** Makes modules with an agent whose model follows a script. */
const helper = `import { approval, inputSchema, Runtime, tool, toolset } from '@toolgen/runtime'
import { modelPlanner } from '@toolgen/runtime/agents'
export { answer, ask } from '@toolgen/runtime/agents'
import { scriptedModel } from '@toolgen/runtime/testing'
export * from '@toolgen/runtime/testing'

const parameters = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] }
const round = tool({ name: 'round', description: 'Round.', parameters, run: async ({ amount }) => Math.round(amount) })
const crash = tool({ name: 'crash', description: 'Crash.', parameters: { type: 'object' }, run: async () => { throw new Error('no route to 10.0.0.7') } })
const refund = tool({ name: 'refund', description: 'Refund.', parameters, run: async ({ amount }) => ({ refunded: amount }) }).layer(approval())
export const numbers = toolset('numbers', round.layer(inputSchema('strict')), refund, crash)
export const agentWith = (planner) =>
  new Runtime().registerAgent({ name: 'helper', description: 'Helps.\\nMore.' }, [numbers], { planner })
export const scripted = (...steps) => agentWith(modelPlanner(scriptedModel(steps)))
`

const rounds = `{ calls: [{ tool: 'round', arguments: { amount: 3.6 } }], text: 'I round it.' }`
const refunds = `{ calls: [{ tool: 'refund', arguments: { amount: 5 } }] }`

let project: Project
beforeAll(() => {
  const files = {
    'rounds.ts': `export default scripted(${rounds}, says('It is 4.'))`,
    'refunds.ts': `export default scripted(${refunds}, says('Done.'))`,
    'suspends.ts': `export default { toolsets: [scripted(${refunds}, says('Done.'))], context: () => ({ env: { approval: { approve: async () => 'suspend' } } }) }`,
    'fails.ts': `export default scripted({ calls: [{ tool: 'round', arguments: { amount: 'x' } }, { tool: 'crash', arguments: {} }] }, says('No.'))`,
    'asks.ts': `export default agentWith(async ({ messages }) => messages.length > 1 ? answer('You said ' + messages.at(-1).content) : ask('Which order?'))`,
    'breaks.ts': `export default scripted(new Error('no model at 10.0.0.7'))`,
    'waits.ts': `setInterval(() => undefined, 1_000)
export default agentWith(() => { console.log('planning'); return new Promise(() => undefined) })`,
    'plain.ts': 'export default numbers',
    'unplanned.ts': `export default agentWith(undefined)`,
    'edits.ts': `const approve = async () => ({ decision: 'approve', arguments: { amount: 3 } })
export default { toolsets: [scripted(${refunds}, says('Done.'))], context: () => ({ env: { approval: { approve } } }) }`,
  }
  project = createProject({
    'package.json': '{ "private": true, "type": "module" }\n',
    'helper.js': helper,
    'toolgen.config.ts': `export default { design: 'helper.js', module: 'rounds.ts' }\n`,
    ...Object.fromEntries(
      Object.entries(files).map(([name, text]) => [
        name,
        `import { agentWith, answer, ask, numbers, says, scripted } from './helper.js'\n${text}\n`,
      ]),
    ),
  })
})
afterAll(() => project.remove())

const toolgen = (...args: readonly string[]): Ran => project.toolgen('run', ...args)
const untimed = (text: string): string => text.replace(/\(\d+ ms\)/g, '(some time)')

describe('toolgen run', () => {
  it('lists the agents of the configured module', () => {
    const { code, stdout, stderr } = toolgen()
    expect([code, stdout, stderr]).toEqual([
      0,
      'helper  Helps. (3 tools)\n',
      '1 agent. Run one: toolgen run helper "..."\n',
    ])
    expect(JSON.parse(toolgen('--json').stdout).agents).toEqual([
      { name: 'helper', description: 'Helps.\nMore.', tools: ['numbers.round', 'numbers.refund', 'numbers.crash'] },
    ])
  })

  it('prints the texts of the model to standard output, and the calls to standard error', () => {
    const { code, stdout, stderr } = toolgen('helper', 'Round 3.6')
    expect([code, stdout]).toEqual([0, 'I round it.\nIt is 4.\n'])
    expect(untimed(stderr)).toBe(`helper: numbers.round {"amount":3.6}
helper: numbers.round completed 4 (some time)
completed: 2 steps, 1 call, 0 + 0 tokens (some time)
`)
  })

  it('prints the run as JSON', () => {
    const { stdout, stderr } = toolgen('helper', 'Round 3.6', '--json')
    const ended = JSON.parse(stdout)
    expect(ended).toMatchObject({
      exitCode: 0,
      run: { agent: 'helper', status: 'completed', result: { text: 'It is 4.' } },
    })
    expect(ended.run.messages).toHaveLength(4)
    expect(stderr).toContain('numbers.round completed 4')
  })

  it.each([
    [['helpr', 'x'], 'The module has no agent `helpr`.', 'Did you mean `helper`?'],
    [['helper'], 'The text for the agent is missing.', 'Write `toolgen run helper '],
    [['helper', ' '], 'The text for the agent is missing.', 'Write `toolgen run helper '],
    [['helper', 'x', '-m', 'plain.ts'], 'The module has no agents, only toolsets.', 'Export a registered agent'],
    [['helper', 'x', '--label', 'a'], '--label must be NAME=VALUE, not `a`.', 'Write `--label tenant=acme`'],
  ])('rejects %j', (args, message, next) => {
    const { code, stdout, stderr } = toolgen(...args)
    expect([stdout, stderr.includes(message), stderr.includes(next)]).toEqual(['', true, true])
    expect([2, 3]).toContain(code)
  })

  it('does not list an agent without a planner, and says once why it cannot run', () => {
    const listed = toolgen('-m', 'unplanned.ts')
    expect([listed.code, listed.stdout, listed.stderr]).toEqual([
      0,
      '',
      '0 agents.\nWithout a planner, so `toolgen run` cannot run them: helper.\n',
    ])
    const { code, stdout, stderr } = toolgen('helper', 'x', '-m', 'unplanned.ts')
    expect([code, stdout, stderr.match(/planner/g)]).toEqual([3, '', ['planner', 'planner']])
    expect(stderr).toContain('error TG7010: The agent `helper` has no planner, so it cannot run.')
    expect(stderr).not.toMatch(/^ +at /m)
  })

  it('prints the error of a failed run, with its cause', () => {
    const { code, stdout, stderr } = toolgen('helper', 'x', '-m', 'breaks.ts')
    expect([code, stdout]).toEqual([7, ''])
    expect(stderr).toMatch(/^failed: \d steps?, 0 calls/)
    expect(stderr).toContain('Error: no model at 10.0.0.7')
  })

  it('prints the issues and the cause of failed calls', () => {
    const { stderr } = toolgen('helper', 'x', '-m', 'fails.ts')
    // The two calls run at the same time, and end in any order.
    expect(
      untimed(stderr),
    ).toContain(`helper: numbers.round failed invalid_arguments: The arguments are not valid. (some time)
  /amount: Expected a number but got a string.
`)
    expect(
      untimed(stderr),
    ).toContain(`helper: numbers.crash failed internal: The tool failed because of an internal error. (some time)
  cause: Error: no route to 10.0.0.7
`)
  })

  it('prints the calls of nested agents', () => {
    const shop = fileURLToPath(new URL('../../examples/studio', import.meta.url))
    const { stdout, stderr } = project.node([toolgenCommand, 'run', 'support', 'A-1002 arrived broken', '-y'], {}, shop)
    expect(stderr).toContain('desk: payments.refund {"paymentId":')
    expect(stdout).toContain('We paid back')
  })

  it('is cancelled by Ctrl+C', async () => {
    const args = [toolgenCommand, 'run', 'helper', 'x', '-m', 'waits.ts']
    const child = spawn(process.execPath, args, { cwd: project.root, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    child.stderr.on('data', (chunk) => {
      printed += chunk
    })
    const closed = once(child, 'close')
    await expect.poll(() => printed).toContain('planning')
    child.kill('SIGINT')
    const [code] = await closed
    expect([code, printed]).toEqual([7, expect.stringMatching(/^planning\ncancelled: /)])
  })
})

describe('toolgen run --cassette', () => {
  it('records a run, and replays it without the model and the tools', () => {
    const recorded = toolgen('helper', 'Round 3.6', '--cassette', 'run.jsonl', '--record')
    expect([recorded.code, recorded.stdout]).toEqual([0, 'I round it.\nIt is 4.\n'])
    expect(project.read('run.jsonl').split('\n')).toHaveLength(5)
    // The model of this module throws.
    const replayed = toolgen('helper', 'Round 3.6', '--cassette', 'run.jsonl', '-m', 'breaks.ts')
    expect([replayed.code, replayed.stdout]).toEqual([0, 'I round it.\nIt is 4.\n'])
    // The duration of a recorded call is not that of the replay.
    const calls = (text: string): string => untimed(text).replace(/(helper: .*) \(some time\)/g, '$1')
    expect(untimed(replayed.stderr)).toBe(calls(recorded.stderr))
  })

  it('shows the arguments that an approver has changed', () => {
    const changed = 'helper: numbers.refund completed {"refunded":3}\n  approved with changed arguments: {"amount":3}\n'
    const recorded = toolgen('helper', 'x', '-m', 'edits.ts', '--cassette', 'edits.jsonl', '--record')
    expect(untimed(recorded.stderr).replace(' (some time)', '')).toContain(changed)
    expect(toolgen('helper', 'x', '-m', 'edits.ts', '--cassette', 'edits.jsonl').stderr).toContain(changed)
  })

  it('names the difference, and files that are no cassettes', () => {
    toolgen('helper', 'Round 3.6', '--cassette', 'other.jsonl', '--record')
    const { code, stderr } = toolgen('helper', 'Round 4', '--cassette', 'other.jsonl')
    expect(code).toBe(7)
    expect(stderr).toContain('error TG7011: ')
    expect(stderr).toContain('recorded "Round 3.6" / now "Round 4"')
    expect(stderr.match(/does not contain a request/g)).toHaveLength(1)
    expect(stderr.match(/Undo the change|record/gi)).toEqual(['record', 'Undo the change', 'record', 'record'])
    const none = toolgen('helper', 'x', '--cassette', 'none.jsonl')
    expect([none.code, none.stderr]).toEqual([
      3,
      expect.stringMatching(
        /^error TG7011: The cassette `.*none\.jsonl` does not exist\.\n.*Correct the path\. To record the run to this file, add `--record`\.\n/,
      ),
    ])
    expect(none.stderr).not.toContain('recording')
    const wrong = toolgen('helper', 'x', '--cassette', 'package.json')
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('error TG7011: ')])
    expect(toolgen('helper', 'x', '--record').stderr).toContain('--record needs the path of the cassette.')
  })

  it.each([[['--cassette', '']], [['--cassette=', '--record']]])('rejects an empty path: %j', (options) => {
    const { code, stdout, stderr } = toolgen('helper', 'Round 3.6', ...options)
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('The path of --cassette is empty.')])
  })

  it.each([
    ['a folder', '.', 'it is a folder'],
    ['another file', 'rounds.ts', 'it is not a cassette'],
    ['a path below a file', 'rounds.ts/run.jsonl', 'a part of the path is not a folder'],
  ])('does not record to %s, and does not begin the run', (_, path, reason) => {
    const before = project.tree()
    const { code, stdout, stderr } = toolgen('helper', 'Round 3.6', '--record', '--cassette', path)
    expect([code, stdout, stderr]).toEqual([3, '', expect.stringContaining(reason)])
    expect(stderr).not.toContain('numbers.round')
    expect(stderr).not.toContain('add `--record`')
    expect(project.tree()).toEqual(before)
    expect(existsSync(`${project.root}.recording`)).toBe(false)
  })

  it('keeps the earlier cassette if the run fails or is cancelled', async () => {
    const record = ['--cassette', 'kept.jsonl', '--record']
    toolgen('helper', 'Round 3.6', ...record)
    const before = project.tree()
    const { code, stderr } = toolgen('helper', 'Round 3.6', ...record, '-m', 'breaks.ts')
    expect([code, stderr]).toEqual([7, expect.stringContaining('no model at 10.0.0.7')])
    expect(stderr).toMatch(/warning TG7011: The run failed, so the cassette `.*kept\.jsonl` was not written\./)
    expect(project.tree()).toEqual(before)

    const args = [toolgenCommand, 'run', 'helper', 'x', '-m', 'waits.ts', ...record]
    const child = spawn(process.execPath, args, { cwd: project.root, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    child.stderr.on('data', (chunk) => {
      printed += chunk
    })
    const closed = once(child, 'close')
    await expect.poll(() => printed).toContain('planning')
    child.kill('SIGINT')
    expect([(await closed)[0], printed]).toEqual([7, expect.stringContaining('The run was cancelled, so the cassette')])
    expect(project.tree()).toEqual(before)
  })
})

/** Runs the command on a terminal. The user types these lines and then ends the input. */
async function answered(module: string, lines: readonly string[]) {
  let printed = ''
  const write = (text: string): boolean => {
    printed += text
    return true
  }
  const terminal = openTerminal({ stdout: { write }, stderr: { write } }, { colour: false })
  const input = Object.assign(Readable.from(lines.map((line) => `${line}\n`)), { isTTY: true }) as never
  const context = commandContext(
    'run',
    {},
    { terminal, cwd: project.root, output: new PassThrough(), input: () => input },
  )
  const code = await run({ module, agent: 'helper', prompt: 'Please.' }, context)
  return { code, printed }
}

describe('toolgen run of an agent that asks', () => {
  it.each(['refunds.ts', 'suspends.ts'])('%s: asks for approvals on a terminal', async (module) => {
    const approved = await answered(module, ['y'])
    expect(approved.printed).toContain('Call numbers.refund?\n  {"amount":5}\nApprove? [y/N] ')
    expect(approved).toMatchObject({
      code: 0,
      printed: expect.stringContaining('numbers.refund completed {"refunded":5}'),
    })
    const denied = await answered(module, ['n'])
    expect(denied.printed).not.toContain('refunded')
    expect(denied).toMatchObject({ code: 0, printed: expect.stringContaining('Done.') })
  })

  it('denies calls if nobody can be asked, and approves them with --yes', () => {
    const { stderr } = project.process('run', 'helper', 'Refund 5', '-m', 'refunds.ts')
    expect(stderr).toContain('numbers.refund failed denied: Nobody could be asked. Approve the call with --yes.')
    expect(project.process('run', 'helper', 'x', '-m', 'refunds.ts', '-y').stderr).toContain('completed {"refunded":5}')
  })

  it('asks the questions of the agent', async () => {
    const { code, printed } = await answered('asks.ts', ['A-1001'])
    expect([code, printed]).toEqual([0, expect.stringContaining('Which order?\n> ')])
    expect(printed).toContain('You said A-1001')
  })

  it('ends with the suspended run if there is no answer', async () => {
    expect(await answered('asks.ts', [])).toMatchObject({ code: 7, printed: expect.stringContaining('suspended: ') })
    const { stdout, code } = project.process('run', 'helper', 'x', '-m', 'asks.ts', '--json')
    expect([code, JSON.parse(stdout).run]).toEqual([7, expect.objectContaining({ status: 'suspended' })])
    expect(JSON.parse(stdout).run.suspension.question).toBe('Which order?')
  })
})
