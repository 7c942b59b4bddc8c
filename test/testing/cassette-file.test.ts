import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { base } from '../../packages/runtime/src/agents.js'
import { Runtime, ToolFailure, tool, toolset } from '../../packages/runtime/src/index.js'
import { calls, openCassette, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { asksFor, cassetteFile, configOf, faultOf, linesOf, noTool, record, replay, shopOf } from './shop.fixture.js'

const header = '{"cassette":1,"recordedAt":"2026-01-31T09:30:00.000Z"}'

const exchanges = [
  '{"type":"model","agent":"a","request":{"messages":[{"role":"user","content":"Hi"}],"tools":{}},"asked":1,"answer":{"message":{"role":"assistant","content":"Ho"},"calls":[]}}',
  '{"type":"tool","tool":"t.u","hash":"0","arguments":"{}","asked":2,"outcome":{"status":"completed","json":"1","provenance":{"tool":"t.u","durationMs":1,"attempts":1}}}',
]

/** A cassette whose first line is another one. */
function changedLine(change: (line: string) => string): string {
  const [first = '', ...rest] = exchanges
  return [header, change(first), ...rest, ''].join('\n')
}

const corrupt = (line: number) => ({ code: 'corrupt_line', line })

/** Records three answers and is killed at once. */
const killedScript = `import { Runtime } from '@toolgen/runtime'
import { modelPlanner } from '@toolgen/runtime/agents'
import { openCassette, says, scriptedModel } from '@toolgen/runtime/testing'
const cassette = await openCassette(process.argv[1], { mode: 'record' })
const planner = modelPlanner(cassette.driver(scriptedModel([says('Answer 1'), says('Answer 2'), says('Answer 3')])))
const agent = new Runtime().registerAgent({ name: 'a', description: 'Answers.' }, [], { planner })
for (let run = 0; run < 3; run += 1) await agent.run('Hi')
process.kill(process.pid, 'SIGKILL')`

/** A recording of one run with one call. */
async function recordedText(): Promise<{ readonly file: string; readonly text: string }> {
  const file = await cassetteFile()
  await record(file, scriptedModel([asksFor('A-1'), says('Done.')]), (driver, cassette) =>
    shopOf(driver).run('Hi', configOf(cassette)),
  )
  return { file, text: await readFile(file, 'utf8') }
}

describe('the file of a cassette', () => {
  it('has a header and one line for each exchange, with the contracts of the tools as hashes', async () => {
    const { file } = await recordedText()
    const [first, asked, called] = await linesOf(file)
    expect(first).toEqual({ cassette: 1, recordedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) })
    expect(asked).toEqual({
      type: 'model',
      agent: 'support',
      request: {
        messages: [{ role: 'user', content: 'Hi' }],
        tools: {
          orders_getOrder: { tool: 'orders.getOrder', hash: '0' },
          orders_follow: { tool: 'orders.follow', hash: '0' },
        },
      },
      asked: 1,
      answer: expect.objectContaining({ finishReason: 'tool_calls' }),
    })
    expect(called).toMatchObject({ type: 'tool', tool: 'orders.getOrder', arguments: '{"orderId":"A-1"}', asked: 2 })
  })

  it('stays as it was until a new recording is closed, and each line is on the disk as its answer is given', async () => {
    const { file, text } = await recordedText()
    const cassette = await openCassette(file, { mode: 'record' })
    await shopOf(cassette.driver(scriptedModel([says('Anew.')]))).run('Hi')
    expect(await readFile(file, 'utf8')).toBe(text)
    expect(await linesOf(`${file}.recording`)).toHaveLength(2)
    await cassette.close()
    expect(await linesOf(file)).toHaveLength(2)
    await expect(access(`${file}.recording`)).rejects.toThrow('ENOENT')
  })

  it('is untouched where the process is killed, and every line of the new one is there', async () => {
    const { file, text } = await recordedText()
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', killedScript, file], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    })
    expect(signal).toBe('SIGKILL')
    expect(await readFile(file, 'utf8')).toBe(text)
    const lines = await linesOf(`${file}.recording`)
    expect(lines.slice(1).map(({ answer }) => answer.message.content)).toEqual(['Answer 1', 'Answer 2', 'Answer 3'])
  })

  it('is made with its folder', async () => {
    const file = join(await cassetteFile(), 'deep', 'down.jsonl')
    await record(file, scriptedModel([says('Hello.')]), (driver) => shopOf(driver).run('Hi'))
    expect(await linesOf(file)).toHaveLength(2)
  })

  it('is recorded where it is missing and replayed where it is there, in the mode auto', async () => {
    const file = await cassetteFile()
    const model = scriptedModel([says('Hello.')])
    for (const mode of ['record', 'replay']) {
      const cassette = await openCassette(file, { mode: 'auto' })
      expect(cassette.mode).toBe(mode)
      await shopOf(cassette.driver(model)).run('Hi')
      await cassette.close()
    }
    expect(model.requests).toHaveLength(1)
  })

  it('is missing', async () => {
    const file = await cassetteFile()
    const missing = await faultOf(openCassette(file))
    expect(missing).toMatchObject({ code: 'no_recording', file })
    expect(missing.message).toBe(`The cassette ${file} does not exist. Record it first, with the mode 'record'.`)
    await openCassette(file, { mode: 'record' })
    expect((await faultOf(openCassette(file))).message).toContain('.recording was never closed')
  })

  it.each([
    ['is something else', 'Dear diary,\n', { code: 'not_a_cassette', line: 1 }],
    ['is empty', '', { code: 'not_a_cassette', line: 1 }],
    ['has a header without a time', '{"cassette":1}\n', { code: 'not_a_cassette', line: 1 }],
    ['is of a newer version', '{"cassette":2,"recordedAt":"2026-01-31"}\n', { code: 'newer_version', line: 1 }],
    ['has a line that is no JSON', `${header}\n{"type":\n`, { code: 'corrupt_line', line: 2 }],
    ['has an empty line', `${header}\n\n`, { code: 'corrupt_line', line: 2 }],
    ['has a line that is no exchange', `${header}\n{"type":"model","asked":1}\n`, { code: 'corrupt_line', line: 2 }],
    ['has a call that is none', changedLine((line) => line.replace('"calls":[', '"calls":[null,')), corrupt(2)],
    [
      'has a message that is none',
      changedLine((line) => line.replace('"messages":[', '"messages":[null,')),
      corrupt(2),
    ],
    ['has an answer without a role', changedLine((line) => line.replace('"role":"assistant"', '"role":5')), corrupt(2)],
    [
      'has no provenance',
      `${header}\n${exchanges[1]?.replace(/"provenance":\{[^}]*\}/, '"provenance":{}')}\n`,
      corrupt(2),
    ],
    ['has an exchange twice', `${header}\n${exchanges[0]}\n${exchanges[0]}\n`, corrupt(3)],
    ['is cut off', `${header}\n{"type":"mod`, { code: 'incomplete_line', line: 2 }],
  ])('is refused with its line when it %s', async (_, text, facts) => {
    const file = await cassetteFile()
    await writeFile(file, text)
    const fault = await faultOf(openCassette(file))
    expect(fault).toMatchObject(facts)
    expect(fault.message).toContain(file)
  })

  it.each([
    ['with line breaks of Windows', (text: string) => text.replaceAll('\n', '\r\n')],
    ['with a byte order mark', (text: string) => `\uFEFF${text}`],
    ['without its last line break', (text: string) => text.trimEnd()],
  ])('is read %s', async (_, changed) => {
    const { file, text } = await recordedText()
    await writeFile(file, changed(text))
    const run = await replay(file, (driver, cassette) =>
      shopOf(driver, { execute: noTool }).run('Hi', configOf(cassette)),
    )
    expect(run).toMatchObject({ status: 'completed' })
  })

  it('is refused at every place where it may be cut off, or holds whole lines', async () => {
    const { file, text } = await recordedText()
    const end = text.split('\n')[0]?.length ?? 0
    for (let cut = end + 2; cut < text.length - 1; cut += 7) {
      await writeFile(file, text.slice(0, cut))
      const isWhole = text[cut - 1] === '\n' || text[cut] === '\n'
      const opened = await openCassette(file).then(
        () => 'opened',
        (error) => error.code,
      )
      expect(opened).toBe(isWhole ? 'opened' : 'incomplete_line')
    }
  })

  it('is not closed while something is under way', async () => {
    const file = await cassetteFile()
    const cassette = await openCassette(file, { mode: 'record' })
    let end = (): void => {}
    const model = scriptedModel([() => new Promise((resolve) => (end = () => resolve(says('Late.'))))])
    const running = shopOf(cassette.driver(model)).run('Hi')
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect(await faultOf(cassette.close())).toMatchObject({ code: 'not_written' })
    end()
    expect(await running).toMatchObject({ status: 'failed', error: { cause: { code: 'not_written' } } })
    await expect(access(file)).rejects.toThrow('ENOENT')
  })

  it('never holds what is redacted, and is replayed with the same function', async () => {
    const file = await cassetteFile()
    const redact = (text: string): string => text.replaceAll(/sk-\w+|A-\d/g, '<hidden>')
    const run =
      (execute?: () => never) => (driver: Parameters<typeof shopOf>[0], cassette: Parameters<typeof configOf>[0]) =>
        shopOf(driver, execute === undefined ? {} : { execute }).run('My key is sk-123', configOf(cassette))
    const model = scriptedModel([asksFor('A-1'), says('It is sk-123.')])
    const recorded = await record(file, model, run(), { redact })
    expect(recorded.result?.text).toBe('It is sk-123.')
    expect(await readFile(file, 'utf8')).not.toMatch(/sk-123|A-1/)
    const replayed = await replay(file, run(noTool), { redact })
    expect(replayed.result?.text).toBe('It is <hidden>.')
  })

  it.each([
    ['redact answers with no text', { redact: () => JSON.parse('null') }, 'Hi'],
    ['redact throws', { redact: throwing }, 'Hi'],
    ['a message is no JSON', {}, [{ role: 'user', content: 'Hi', seed: 1n }]],
    ['redact breaks the JSON of a result', { redact: (text: string) => text.replaceAll('{', '(') }, 'Hi'],
    ['redact breaks the type of a result', { redact: (text: string) => text.replaceAll('2026-01-31', 'then') }, 'Hi'],
  ] as const)('is not written where %s: close tells, and the old one stays', async (_, options, input) => {
    const { file, text } = await recordedText()
    const cassette = await openCassette(file, { mode: 'record', ...options })
    const driver = cassette.driver(scriptedModel([asksFor('A-1'), says('Hello.')]))
    const run = await shopOf(driver).run(input, configOf(cassette))
    expect(run).toMatchObject({ status: 'failed', error: { cause: { code: 'not_written' } } })
    expect(await faultOf(cassette.close())).toMatchObject({ code: 'not_written', file })
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('reports at the end of a replay that `redact` threw', async () => {
    const { file } = await recordedText()
    const cassette = await openCassette(file, { redact: throwing })
    await shopOf(cassette.driver()).run('Hi', configOf(cassette))
    const fault = await faultOf(cassette.close())
    expect(fault).toMatchObject({ code: 'not_recorded', file })
    expect(fault.message).toContain('redact is broken')
  })

  it.each([
    ['every text', () => 'R'],
    [
      'words of its format',
      (text: string) => text.replaceAll(/assistant|user|tool|completed|call|orders|function|failed/g, 'R'),
    ],
  ])('is replayed where redact changes %s', async (_, redact) => {
    const file = await cassetteFile()
    const down = new ToolFailure('Busy.', { reason: 'rate_limited' })
    const model = [calls({ tool: 'local_break', arguments: 'x' }), down]
    const work = (driver: Parameters<typeof shopOf>[0], cassette: Parameters<typeof configOf>[0]) => {
      const broken = tool({ name: 'break', description: 'Breaks.', parameters: {}, run: () => Promise.reject(down) })
      const agent = base(driver).build()
      const design = { name: 'support', description: 'Answers customers.' }
      return new Runtime().registerAgent(design, [toolset('local', broken)], { agent }).run('user', configOf(cassette))
    }
    const recorded = await record(file, scriptedModel(model), work, { redact })
    const replayed = await replay(file, work, { redact })
    expect(replayed.status).toBe(recorded.status)
    expect(replayed.error?.reason).toBe('rate_limited')
    expect(replayed.messages.map(({ role }) => role)).toEqual(recorded.messages.map(({ role }) => role))
    expect(replayed.outcomes).toMatchObject(
      recorded.outcomes.map(({ status, call: { tool } }) => ({ status, call: { tool } })),
    )
  })

  it('is not opened in an unknown mode', async () => {
    const file = await cassetteFile()
    const opening = openCassette(file, { mode: 'rec' as never })
    await expect(opening).rejects.toThrow(TypeError)
    await expect(opening).rejects.toThrow("unknown mode 'rec'. Expected replay, record, auto.")
  })

  it('is recorded once at a time', async () => {
    const { file, text } = await recordedText()
    const first = await openCassette(file, { mode: 'record' })
    const fault = await faultOf(openCassette(file, { mode: 'record' }))
    expect(fault).toMatchObject({ code: 'already_recording', file })
    expect(fault.message).toContain(`in process ${process.pid}`)
    expect(await readFile(file, 'utf8')).toBe(text)
    await shopOf(first.driver(scriptedModel([says('Anew.')]))).run('Hi')
    await first.close()
    await record(file, scriptedModel([says('Once more.')]), (driver) => shopOf(driver).run('Hi'))
  })

  it('is a cassette of any version, an empty file or a new file: a recording replaces nothing else', async () => {
    const folder = join(await cassetteFile(), '..')
    const socket = join(folder, 'socket')
    const server = createServer().listen(socket)
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const notes = join(folder, 'notes.txt')
    await writeFile(notes, 'Dear diary,\n')
    for (const [path, what] of [
      [folder, 'a folder'],
      [socket, 'not a regular file'],
      [notes, 'not a cassette'],
    ] as const) {
      const fault = await faultOf(openCassette(path, { mode: 'record' }))
      expect(fault).toMatchObject({ code: 'not_a_cassette', file: path })
      expect(fault.message).toContain(`because it is ${what}.`)
      await expect(access(`${path}.recording.lock`)).rejects.toThrow('ENOENT')
    }
    expect(await readFile(notes, 'utf8')).toBe('Dear diary,\n')
    for (const text of ['', '\uFEFF{"cassette":99,"of":"the future"}\n', `${header}\n{"type":`]) {
      const file = join(folder, 'replaced.jsonl')
      await writeFile(file, text)
      await record(file, scriptedModel([says('Hello.')]), (driver) => shopOf(driver).run('Hi'))
      expect(await linesOf(file)).toHaveLength(2)
    }
  })

  it('leaves no other files if the recording cannot begin or is discarded', async () => {
    const { file, text } = await recordedText()
    await mkdir(`${file}.recording`)
    await expect(openCassette(file, { mode: 'record' })).rejects.toThrow('EISDIR')
    await expect(access(`${file}.recording.lock`)).rejects.toThrow('ENOENT')
    await rmdir(`${file}.recording`)
    const cassette = await openCassette(file, { mode: 'record' })
    await shopOf(cassette.driver(scriptedModel([says('Anew.')]))).run('Hi')
    await cassette.discard()
    await cassette.close()
    expect(await readFile(file, 'utf8')).toBe(text)
    for (const other of ['.recording', '.recording.lock']) {
      await expect(access(`${file}${other}`)).rejects.toThrow('ENOENT')
    }
  })

  it('is not replaced by a recording of nothing', async () => {
    const { file, text } = await recordedText()
    const cassette = await openCassette(file, { mode: 'record' })
    await shopOf(cassette.driver(scriptedModel([]))).run('Hi', { signal: AbortSignal.abort() })
    expect(await faultOf(cassette.close())).toMatchObject({ code: 'not_written' })
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it.each([
    ['a process that has ended', () => ({ process: spawnSync(process.execPath, ['-e', '']).pid, since: Date.now() })],
    ['a process that had the id of this one', () => ({ process: process.pid, since: 1 })],
    ['nobody', () => 0],
  ])('is recorded in place of a recording of %s', async (_, owner) => {
    const file = await cassetteFile()
    await writeFile(`${file}.recording.lock`, JSON.stringify(owner()))
    await record(file, scriptedModel([says('Hello.')]), (driver) => shopOf(driver).run('Hi'))
    expect(await linesOf(file)).toHaveLength(2)
    await expect(access(`${file}.recording.lock`)).rejects.toThrow('ENOENT')
  })
})

function throwing(): never {
  throw new Error('redact is broken')
}
